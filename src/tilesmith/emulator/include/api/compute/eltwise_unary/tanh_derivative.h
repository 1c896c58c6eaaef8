// tanh_derivative_tile: 1 / cosh(x)^2.
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <bool fast_and_approx = false>
ALWI void tanh_derivative_tile_init(TS_AT) {
    ts::sfpu::initialise("tanh_derivative", at);
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanh_derivative_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"tanh_derivative", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::tanh_derivative<is_fp32_dest_acc_en>(x); });
}
}  // namespace ckernel
