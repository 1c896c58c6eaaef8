// The quotient of two int32 tiles, as a float.
#pragma once
#include "ts/sfpu/typecast.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void div_int32_tile_init(TS_AT) { ts::sfpu::initialise("div_int32", at); }

ALWI void div_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"div_int32", at}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::divide_integers(x, y); });
}
}  // namespace ckernel
