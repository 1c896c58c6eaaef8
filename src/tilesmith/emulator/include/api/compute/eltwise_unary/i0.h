// i0_tile: the modified Bessel function of order zero.
#pragma once
#include "ts/sfpu/special.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void i0_tile_init(TS_AT) { ts::sfpu::initialise("i0", at); }

ALWI void i0_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"i0", at}, idst, [](auto x) TS_OP { return ts::sfpu::bessel_i0(x); });
}
}  // namespace ckernel
