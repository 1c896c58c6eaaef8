// The rest of a division of two tiles, with the sign of the divisor.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/remainder.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void remainder_int32_tile_init(TS_AT) { ts::sfpu::initialise("remainder_int32", at); }

ALWI void remainder_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"remainder_int32", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return ts::sfpu::remainder_of_integers(x, y); });
}

ALWI void remainder_uint32_tile_init(TS_AT) { ts::sfpu::initialise("remainder_uint32", at); }

ALWI void remainder_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"remainder_uint32", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return ts::sfpu::remainder_of_unsigned(x, y); });
}

ALWI void remainder_binary_tile_init(TS_AT) { ts::sfpu::initialise("remainder_binary", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void remainder_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"remainder_binary", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::remainder<is_fp32_dest_acc_en>(x, y); });
}
}  // namespace ckernel
