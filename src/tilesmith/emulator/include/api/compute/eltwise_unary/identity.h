// identity_tile: x.
#pragma once
#include "ts/sfpu/instructions.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void identity_tile_init(TS_AT) { ts::sfpu::initialise("identity", at); }

ALWI void identity_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"identity", at}, idst, [](auto x) TS_OP { return x; });
}

ALWI void identity_tile_uint32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"identity", at}, idst, [](ts::sfpu::Int x) TS_OP { return x; });
}
}  // namespace ckernel
