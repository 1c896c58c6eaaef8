// sqrt_tile.
#pragma once
#include "ts/sfpu/root.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void sqrt_tile_init(TS_AT) { ts::sfpu::initialise("sqrt", at); }

template <bool FAST_APPROX = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sqrt_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"sqrt", at}, idst, [](auto x) TS_OP {
        return ts::sfpu::narrow<is_fp32_dest_acc_en>(ts::sfpu::square_root<APPROX != 0, false, FAST_APPROX>(x));
    });
}
}  // namespace ckernel
