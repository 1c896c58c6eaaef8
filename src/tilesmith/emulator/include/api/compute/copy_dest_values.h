// copy_dest_values: one DST tile into another.
#pragma once
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void copy_dest_values_init(TS_AT) { ts::sfpu::initialise("copy_dest_values", at); }

template <DataFormat DATA_FORMAT = DataFormat::Float16_b>
ALWI void copy_dest_values(uint32_t idst_in, uint32_t idst_out, TS_AT) {
    ts::sfpu::map_words({"copy_dest_values", at}, idst_in, idst_in, idst_out,
                        [](ts::sfpu::Int x, ts::sfpu::Int) TS_OP { return x; });
}
}  // namespace ckernel
