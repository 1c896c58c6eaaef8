// The larger or the smaller of two tiles.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/instructions.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void binary_max_tile_init(TS_AT) { ts::sfpu::initialise("binary_max", at); }

ALWI void binary_max_tile(uint32_t idst0, uint32_t idst1, uint32_t odst,
                          ts::sfpu::ModeArgument vector_mode = VectorMode::RC, TS_AT) {
    ts::sfpu::map_floats({"binary_max", at, vector_mode}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::maximum(x, y); });
}

ALWI void binary_max_int32_tile_init(TS_AT) { ts::sfpu::initialise("binary_max_int32", at); }

ALWI void binary_max_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"binary_max_int32", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return ts::sfpu::integer_max<false>(x, y); });
}

ALWI void binary_max_uint32_tile_init(TS_AT) { ts::sfpu::initialise("binary_max_uint32", at); }

ALWI void binary_max_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"binary_max_uint32", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return ts::sfpu::integer_max<true>(x, y); });
}

ALWI void binary_min_tile_init(TS_AT) { ts::sfpu::initialise("binary_min", at); }

ALWI void binary_min_tile(uint32_t idst0, uint32_t idst1, uint32_t odst,
                          ts::sfpu::ModeArgument vector_mode = VectorMode::RC, TS_AT) {
    ts::sfpu::map_floats({"binary_min", at, vector_mode}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::minimum(x, y); });
}

ALWI void binary_min_int32_tile_init(TS_AT) { ts::sfpu::initialise("binary_min_int32", at); }

ALWI void binary_min_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"binary_min_int32", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return ts::sfpu::integer_min<false>(x, y); });
}

ALWI void binary_min_uint32_tile_init(TS_AT) { ts::sfpu::initialise("binary_min_uint32", at); }

ALWI void binary_min_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"binary_min_uint32", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return ts::sfpu::integer_min<true>(x, y); });
}
}  // namespace ckernel
