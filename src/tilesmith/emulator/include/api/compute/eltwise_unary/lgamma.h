// The steps of the logarithm of the gamma function.
#pragma once
#include "ts/sfpu/special.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void lgamma_stirling_tile_init(TS_AT) { ts::sfpu::initialise("lgamma_stirling", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void lgamma_stirling_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"lgamma_stirling", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::lgamma_stirling<is_fp32_dest_acc_en>(x); });
}

ALWI void lgamma_stirling_float_tile_init(TS_AT) { ts::sfpu::initialise("lgamma_stirling_float", at); }

ALWI void lgamma_stirling_float_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"lgamma_stirling_float", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::lgamma_stirling_with_log(x, y); });
}

ALWI void lgamma_adjusted_tile_init(TS_AT) { ts::sfpu::initialise("lgamma_adjusted", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void lgamma_adjusted_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t idst3, TS_AT) {
    ts::sfpu::map_floats({"lgamma_adjusted", at}, idst0, idst1, idst2, idst3, [](auto x, auto y, auto z) TS_OP {
        return ts::sfpu::lgamma_adjusted<is_fp32_dest_acc_en>(x, y, z);
    });
}
}  // namespace ckernel
