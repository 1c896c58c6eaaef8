// isclose_binary_tile: one where two tiles agree within tolerances.
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void isclose_binary_tile_init(TS_AT) { ts::sfpu::initialise("isclose_binary", at); }

template <bool EQUAL_NAN = false>
ALWI void isclose_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, uint32_t rtol_bits, uint32_t atol_bits,
                              TS_AT) {
    ts::sfpu::map_floats({"isclose_binary", at}, idst0, idst1, odst, [=](auto x, auto y) TS_OP {
        using F = decltype(x);
        return ts::sfpu::isclose<EQUAL_NAN>(x, y, ts::sfpu::scalar<F>(rtol_bits), ts::sfpu::scalar<F>(atol_bits));
    });
}
}  // namespace ckernel
