// negative_tile: -x.
#pragma once
#include "ts/sfpu/simple.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void negative_tile_init(TS_AT) { ts::sfpu::initialise("negative", at); }

ALWI void negative_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"negative", at}, idst, [](auto x) TS_OP { return -x; });
}

ALWI void negative_tile_int32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"negative", at}, idst, [](ts::sfpu::Int x) TS_OP { return -x; });
}
}  // namespace ckernel
