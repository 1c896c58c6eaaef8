// polygamma_tile.
#pragma once
#include "ts/sfpu/special.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void polygamma_tile_init(TS_AT) { ts::sfpu::initialise("polygamma", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void polygamma_tile(uint32_t idst, uint32_t n_packed, uint32_t scale_packed, TS_AT) {
    const float order = __builtin_bit_cast(float, n_packed), scale = __builtin_bit_cast(float, scale_packed);
    ts::sfpu::map_floats({"polygamma", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::polygamma<APPROX != 0, is_fp32_dest_acc_en>(x, order, scale);
    });
}
}  // namespace ckernel
