// where_tile: a ? b : c. A condition is false only where all its bits are zero: negative zero is true.
#pragma once
#include "ts/sfpu/compare.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void where_tile_init(TS_AT) { ts::sfpu::initialise("where", at); }

template <DataFormat data_format>
ALWI void where_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, TS_AT) {
    using ts::sfpu::Int;
    ts::sfpu::map_words({"where", at}, idst0, idst1, idst2, odst,
                        [](Int x, Int y, Int z) TS_OP { return ts::sfpu::select(x != 0, y, z); });
}

ALWI void where_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, TS_AT) {
    where_tile<DataFormat::Float16_b>(idst0, idst1, idst2, odst, at);
}

ALWI void where_fp32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, TS_AT) {
    where_tile<DataFormat::Float32>(idst0, idst1, idst2, odst, at);
}

ALWI void where_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, TS_AT) {
    where_tile<DataFormat::Int32>(idst0, idst1, idst2, odst, at);
}

ALWI void where_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, TS_AT) {
    where_tile<DataFormat::UInt32>(idst0, idst1, idst2, odst, at);
}
}  // namespace ckernel
