// cbrt_tile.
#pragma once
#include "ts/sfpu/special.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void cbrt_tile_init(TS_AT) { ts::sfpu::initialise("cbrt", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void cbrt_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"cbrt", at}, idst, [](auto x) TS_OP { return ts::sfpu::cube_root<is_fp32_dest_acc_en>(x); });
}
}  // namespace ckernel
