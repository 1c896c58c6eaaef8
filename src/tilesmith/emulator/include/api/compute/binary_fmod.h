// The rest of a division of two tiles, with the sign of the dividend.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/remainder.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void fmod_int32_tile_init(TS_AT) { ts::sfpu::initialise("fmod_int32", at); }

ALWI void fmod_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"fmod_int32", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return ts::sfpu::fmod_of_integers(x, y); });
}

ALWI void fmod_binary_tile_init(TS_AT) { ts::sfpu::initialise("fmod_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fmod_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"fmod_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::fmod<is_fp32_dest_acc_en>(x, y); });
}
}  // namespace ckernel
