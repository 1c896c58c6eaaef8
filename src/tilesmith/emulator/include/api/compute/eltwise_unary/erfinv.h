// erfinv_tile.
#pragma once
#include "ts/sfpu/special.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void erfinv_tile_init(TS_AT) { ts::sfpu::initialise("erfinv", at); }

ALWI void erfinv_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"erfinv", at}, idst, [](auto x) TS_OP { return ts::sfpu::erfinv(x); });
}
}  // namespace ckernel
