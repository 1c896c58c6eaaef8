// hardmish_tile.
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void hardmish_tile_init(TS_AT) { ts::sfpu::initialise("hardmish", at); }

ALWI void hardmish_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"hardmish", at}, idst, [](auto x) TS_OP { return ts::sfpu::hardmish(x); });
}
}  // namespace ckernel
