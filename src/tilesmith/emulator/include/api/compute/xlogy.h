// xlogy_binary_tile: x ln(y).
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void xlogy_binary_tile_init(TS_AT) { ts::sfpu::initialise("xlogy_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void xlogy_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"xlogy_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::xlogy<ts::sfpu::dst_is_wide>(x, y); });
}
}  // namespace ckernel
