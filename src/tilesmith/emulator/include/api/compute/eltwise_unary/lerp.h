// lerp_tile: a + weight * (b - a).
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void lerp_tile_init(TS_AT) { ts::sfpu::initialise("lerp", at); }

template <DataFormat data_format, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void lerp_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"lerp", at}, idst0, idst1, idst2, odst,
                         [](auto x, auto y, auto z) TS_OP { return ts::sfpu::lerp<is_fp32_dest_acc_en>(x, y, z); });
}
}  // namespace ckernel
