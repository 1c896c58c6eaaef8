// elu_tile.
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void elu_tile_init(TS_AT) { ts::sfpu::initialise("elu", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void elu_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"elu", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::elu<is_fp32_dest_acc_en>(x, ts::sfpu::scalar<decltype(x)>(param0));
    });
}
}  // namespace ckernel
