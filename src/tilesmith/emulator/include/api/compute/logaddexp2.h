// logaddexp2_binary_tile: log2(2^x + 2^y).
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void logaddexp2_binary_tile_init(TS_AT) {
    ts::sfpu::initialise("logaddexp2_binary", at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void logaddexp2_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"logaddexp2_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::logaddexp2<is_fp32_dest_acc_en>(x, y); });
}
}  // namespace ckernel
