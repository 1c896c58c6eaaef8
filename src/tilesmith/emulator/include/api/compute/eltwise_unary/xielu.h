// xielu_tile.
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void xielu_tile_init(TS_AT) { ts::sfpu::initialise("xielu", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void xielu_tile(uint32_t idst, uint32_t alpha_p, uint32_t alpha_n, TS_AT) {
    ts::sfpu::map_floats({"xielu", at}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        return ts::sfpu::xielu<is_fp32_dest_acc_en>(x, ts::sfpu::scalar<F>(alpha_p), ts::sfpu::scalar<F>(alpha_n));
    });
}
}  // namespace ckernel
