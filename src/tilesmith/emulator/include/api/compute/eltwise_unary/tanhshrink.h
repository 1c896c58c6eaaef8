// tanhshrink_tile: x - tanh(x).
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanhshrink_tile_init(TS_AT) {
    ts::sfpu::initialise("tanhshrink", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanhshrink_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"tanhshrink", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::tanhshrink<is_fp32_dest_acc_en>(x); });
}
}  // namespace ckernel
