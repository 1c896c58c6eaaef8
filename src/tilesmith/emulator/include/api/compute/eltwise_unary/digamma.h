// digamma_tile.
#pragma once
#include "ts/sfpu/special.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
#ifdef INP_FLOAT32
inline constexpr bool digamma_of_float32 = true;
#else
inline constexpr bool digamma_of_float32 = false;
#endif

ALWI void digamma_tile_init(TS_AT) { ts::sfpu::initialise("digamma", at); }

ALWI void digamma_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"digamma", at}, idst, [](auto x) TS_OP { return ts::sfpu::digamma<digamma_of_float32>(x); });
}
}  // namespace ckernel
