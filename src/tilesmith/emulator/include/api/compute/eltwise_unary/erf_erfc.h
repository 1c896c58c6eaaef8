// erf_tile and erfc_tile.
#pragma once
#include "ts/sfpu/rational.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
#ifdef INP_FLOAT32
inline constexpr bool erf_of_float32 = true;
#else
inline constexpr bool erf_of_float32 = false;
#endif

template <bool fast_and_approx = true>
ALWI void erf_tile_init(TS_AT) {
    ts::sfpu::initialise("erf", at);
}

template <bool fast_and_approx = true>
ALWI void erf_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"erf", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::erf<fast_and_approx, erf_of_float32>(x); });
}

ALWI void erfc_tile_init(TS_AT) { ts::sfpu::initialise("erfc", at); }

ALWI void erfc_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"erfc", at}, idst, [](auto x) TS_OP { return ts::sfpu::erfc(x); });
}
}  // namespace ckernel
