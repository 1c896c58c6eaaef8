// snake_beta_tile: x + sin(alpha x)^2 / beta.
#pragma once
#include "ts/sfpu/binary.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void snake_beta_tile_init(TS_AT) { ts::sfpu::initialise("snake_beta", at); }

template <DataFormat data_format, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void snake_beta_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, TS_AT) {
    ts::sfpu::map_floats({"snake_beta", at}, idst0, idst1, idst2, odst, [](auto x, auto y, auto z) TS_OP {
        return ts::sfpu::snake_beta<is_fp32_dest_acc_en>(x, y, z);
    });
}
}  // namespace ckernel
