// Quotients of two int32 tiles, rounded down or toward zero.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void div_int32_floor_tile_init(TS_AT) { ts::sfpu::initialise("div_int32_floor", at); }

ALWI void div_int32_floor_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"div_int32_floor", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return ts::sfpu::divide_floor(x, y); });
}

ALWI void div_int32_trunc_tile_init(TS_AT) { ts::sfpu::initialise("div_int32_trunc", at); }

ALWI void div_int32_trunc_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"div_int32_trunc", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return ts::sfpu::divide_truncated(x, y); });
}
}  // namespace ckernel
