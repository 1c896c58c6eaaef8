// threshold_tile: a value where x is not above the threshold.
#pragma once
#include "ts/sfpu/simple.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void threshold_tile_init(TS_AT) { ts::sfpu::initialise("threshold", at); }

ALWI void threshold_tile(uint32_t idst, uint32_t param0, uint32_t param1, TS_AT) {
    ts::sfpu::map_floats({"threshold", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::select(x <= ts::sfpu::scalar<decltype(x)>(param0), ts::sfpu::scalar<decltype(x)>(param1), x);
    });
}
}  // namespace ckernel
