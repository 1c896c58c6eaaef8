// rsqrt_tile: 1/sqrt(x).
#pragma once
#include "ts/sfpu/root.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
enum class RsqrtMode { Default, Fast };

ALWI void rsqrt_tile_init(TS_AT) { ts::sfpu::initialise("rsqrt", at); }

template <RsqrtMode mode = RsqrtMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsqrt_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"rsqrt", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::narrow<is_fp32_dest_acc_en>(
            ts::sfpu::square_root<APPROX != 0, true, mode == RsqrtMode::Fast>(x)); });
}
}  // namespace ckernel
