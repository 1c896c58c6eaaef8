// bitwise_not_tile.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void bitwise_not_tile_init(TS_AT) { ts::sfpu::initialise("bitwise_not", at); }

ALWI void bitwise_not_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"bitwise_not", at}, idst, [](ts::sfpu::Int x) TS_OP { return ~x; });
}
}  // namespace ckernel
