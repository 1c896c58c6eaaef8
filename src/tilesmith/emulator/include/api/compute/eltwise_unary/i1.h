// i1_tile: the modified Bessel function of order one.
#pragma once
#include "ts/sfpu/special.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
#ifdef INP_FLOAT32
inline constexpr bool i1_of_float32 = true;
#else
inline constexpr bool i1_of_float32 = false;
#endif

ALWI void i1_tile_init(TS_AT) { ts::sfpu::initialise("i1", at); }

ALWI void i1_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"i1", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::bessel_i1<APPROX != 0, i1_of_float32>(x); });
}
}  // namespace ckernel
