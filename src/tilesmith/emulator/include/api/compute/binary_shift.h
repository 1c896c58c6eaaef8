// Shifts of one tile by the other: left, right, and right without the sign.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void binary_shift_tile_init(TS_AT) { ts::sfpu::initialise("binary_shift", at); }

template <DataFormat data_format>
ALWI void binary_left_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"binary_shift", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::keep_width<data_format == DataFormat::UInt16>(ts::sfpu::shift_left(x, y));
    });
}

ALWI void binary_left_shift_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    binary_left_shift_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void binary_left_shift_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    binary_left_shift_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

template <DataFormat data_format>
ALWI void binary_right_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"binary_shift", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::keep_width<data_format == DataFormat::UInt16>(ts::sfpu::shift_right(x, y));
    });
}

ALWI void binary_right_shift_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    binary_right_shift_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void binary_right_shift_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    binary_right_shift_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

template <DataFormat data_format>
ALWI void binary_logical_right_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"binary_shift", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::keep_width<data_format == DataFormat::UInt16>(ts::sfpu::shift_right_logical(x, y));
    });
}

ALWI void binary_logical_right_shift_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    binary_logical_right_shift_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void binary_logical_right_shift_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    binary_logical_right_shift_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}
}  // namespace ckernel
