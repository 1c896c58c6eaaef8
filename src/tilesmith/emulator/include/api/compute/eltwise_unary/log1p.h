// log1p_tile: ln(1 + x).
#pragma once
#include "ts/sfpu/logarithm.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log1p_tile_init(TS_AT) {
    ts::sfpu::initialise("log1p", at);
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log1p_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"log1p", at}, idst, [](auto x) TS_OP {
        return ts::sfpu::narrow<is_fp32_dest_acc_en>(ts::sfpu::log1p<is_fp32_dest_acc_en>(x));
    });
}
}  // namespace ckernel
