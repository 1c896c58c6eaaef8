// logsigmoid_tile: ln(sigmoid(x)) from x and e^-x.
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void logsigmoid_tile_init(TS_AT) { ts::sfpu::initialise("logsigmoid", at); }

ALWI void logsigmoid_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"logsigmoid", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::logsigmoid(x, y); });
}
}  // namespace ckernel
