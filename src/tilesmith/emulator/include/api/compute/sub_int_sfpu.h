// The difference of two integer tiles, either way round.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void sub_int_tile_init(TS_AT) { ts::sfpu::initialise("sub_int", at); }

template <DataFormat data_format>
ALWI void sub_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"sub_int", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::keep_width<data_format == DataFormat::UInt16>(x - y);
    });
}

ALWI void sub_int32_tile_init(TS_AT) { sub_int_tile_init(at); }
ALWI void sub_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    sub_int_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void sub_uint16_tile_init(TS_AT) { sub_int_tile_init(at); }
ALWI void sub_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    sub_int_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

ALWI void sub_uint32_tile_init(TS_AT) { sub_int_tile_init(at); }
ALWI void sub_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    sub_int_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

ALWI void rsub_int_tile_init(TS_AT) { ts::sfpu::initialise("rsub_int", at); }

template <DataFormat data_format>
ALWI void rsub_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"rsub_int", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::keep_width<data_format == DataFormat::UInt16>(y - x);
    });
}

ALWI void rsub_int32_tile_init(TS_AT) { rsub_int_tile_init(at); }
ALWI void rsub_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    rsub_int_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void rsub_uint16_tile_init(TS_AT) { rsub_int_tile_init(at); }
ALWI void rsub_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    rsub_int_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

ALWI void rsub_uint32_tile_init(TS_AT) { rsub_int_tile_init(at); }
ALWI void rsub_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    rsub_int_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}
}  // namespace ckernel
