// rpow_tile: a number to the power of the tile.
#pragma once
#include "ts/sfpu/power.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void rpow_tile_init(TS_AT) { ts::sfpu::initialise("rpow", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rpow_tile(uint32_t idst, uint32_t base_val, ts::sfpu::ModeArgument vector_mode = VectorMode::RC, TS_AT) {
    ts::sfpu::map_floats({"rpow", at, vector_mode}, idst, [=](auto x) TS_OP {
        return ts::sfpu::power<is_fp32_dest_acc_en>(ts::sfpu::scalar<decltype(x)>(base_val), x);
    });
}
}  // namespace ckernel
