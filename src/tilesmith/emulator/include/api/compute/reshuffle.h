// reshuffle_rows_tile: rows added to the next tile where an index says.
#pragma once
#include "ts/sfpu/whole_tile.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void reshuffle_rows_tile_init(TS_AT) { ts::sfpu::initialise("reshuffle_rows", at); }

// The index is 32 bytes, 16 bytes into the block at `idx_addr`.
ALWI void reshuffle_rows_tile(uint32_t idst, uint32_t idx_addr, TS_AT) {
    if (ts_role() != ts::Role::math) return;
    const uint32_t first = ts_l1_address(idx_addr) + 16;
    ts_l1_touch_read(first, 32, at);
    ts::sfpu::add_shuffled_rows({"reshuffle_rows", at}, idst, reinterpret_cast<const uint8_t*>(uintptr_t(first)));
}
}  // namespace ckernel
