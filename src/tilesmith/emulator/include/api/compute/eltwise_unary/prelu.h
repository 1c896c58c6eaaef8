// prelu_tile.
#pragma once
#include "ts/sfpu/simple.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void prelu_tile_init(TS_AT) { ts::sfpu::initialise("prelu", at); }

ALWI void prelu_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"prelu", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::leaky_relu(x, ts::sfpu::scalar<decltype(x)>(param0)); });
}
}  // namespace ckernel
