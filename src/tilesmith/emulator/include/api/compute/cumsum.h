// cumsum_tile: running sums down the columns.
#pragma once
#include "ts/sfpu/whole_tile.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void cumsum_tile_init(TS_AT) { ts::sfpu::initialise("cumsum", at); }

ALWI void cumsum_tile(uint32_t idst, bool first = true, TS_AT) { ts::sfpu::running_sum({"cumsum", at}, idst, first); }
}  // namespace ckernel
