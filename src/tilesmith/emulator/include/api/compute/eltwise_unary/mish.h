// mish_tile: x tanh(softplus(x)).
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <bool APPROXIMATION_MODE>
ALWI void mish_tile_init(TS_AT) {
    ts::sfpu::initialise("mish", at);
}

template <bool APPROXIMATION_MODE, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mish_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"mish", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::mish<APPROXIMATION_MODE, is_fp32_dest_acc_en>(x); });
}
}  // namespace ckernel
