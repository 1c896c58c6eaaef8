// nextafter_binary_tile: the number after x on the way to y.
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void nextafter_binary_tile_init(TS_AT) { ts::sfpu::initialise("nextafter_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void nextafter_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"nextafter_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::nextafter<1>(x, y); });
}

ALWI void nextafter_bf16_binary_tile_init(TS_AT) { ts::sfpu::initialise("nextafter_bf16_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void nextafter_bf16_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"nextafter_bf16_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::nextafter<0x10000>(x, y); });
}
}  // namespace ckernel
