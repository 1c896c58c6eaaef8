// atan2_binary_tile: the angle of (x, y), y first.
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void atan2_binary_tile_init(TS_AT) {
    ts::sfpu::initialise("atan2_binary", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void atan2_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"atan2_binary", at}, idst0, idst1, odst, [](auto x, auto y) TS_OP {
        return ts::sfpu::arctangent_of_two<APPROX != 0, is_fp32_dest_acc_en>(x, y);
    });
}
}  // namespace ckernel
