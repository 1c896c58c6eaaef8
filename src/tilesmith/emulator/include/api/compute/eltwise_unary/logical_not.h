// logical_not_tile: one where zero, zero elsewhere.
#pragma once
#include "ts/sfpu/compare.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void logical_not_tile_init(TS_AT) { ts::sfpu::initialise("logical_not", at); }

template <DataFormat DATA_FORMAT>
ALWI void logical_not_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"logical_not", at}, idst, [](ts::sfpu::Int x) TS_OP {
        const ts::sfpu::Int one = ts::sfpu::is_floating(DATA_FORMAT) ? 0x3f800000 : 1;
        return ts::sfpu::select(x == 0, one, ts::sfpu::Int(0));
    });
}
}  // namespace ckernel
