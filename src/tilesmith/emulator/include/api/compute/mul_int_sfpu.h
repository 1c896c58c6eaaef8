// The product of two integer tiles.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <DataFormat data_format>
ALWI void mul_int_tile_init(TS_AT) {
    ts::sfpu::initialise("mul_int", at);
}

template <DataFormat data_format>
ALWI void mul_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"mul_int", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::keep_width<data_format == DataFormat::UInt16>(x * y);
    });
}

ALWI void mul_int32_tile_init(TS_AT) { mul_int_tile_init<DataFormat::Int32>(at); }
ALWI void mul_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    mul_int_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void mul_uint16_tile_init(TS_AT) { mul_int_tile_init<DataFormat::UInt16>(at); }
ALWI void mul_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    mul_int_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

ALWI void mul_uint32_tile_init(TS_AT) { mul_int_tile_init<DataFormat::UInt32>(at); }
ALWI void mul_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    mul_int_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}
}  // namespace ckernel
