// lcm_tile: the least common multiple of two int32 tiles.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void lcm_tile_init(TS_AT) { ts::sfpu::initialise("lcm", at); }

ALWI void lcm_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"lcm", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return ts::sfpu::lcm(x, y); });
}
}  // namespace ckernel
