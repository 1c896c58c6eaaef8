// Comparisons of two integer tiles: one where true, zero elsewhere.
#pragma once
#include "ts/sfpu/compare.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
template <DataFormat data_format>
ALWI void eq_int_tile_init(TS_AT) {
    ts::sfpu::initialise("eq_int", at);
}

template <DataFormat data_format>
ALWI void eq_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"eq_int", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_integers<ts::sfpu::Compare::eq, data_format>(x, y));
    });
}

ALWI void eq_int32_tile_init(TS_AT) { eq_int_tile_init<DataFormat::Int32>(at); }
ALWI void eq_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    eq_int_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void eq_uint32_tile_init(TS_AT) { eq_int_tile_init<DataFormat::UInt32>(at); }
ALWI void eq_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    eq_int_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

ALWI void eq_uint16_tile_init(TS_AT) { eq_int_tile_init<DataFormat::UInt16>(at); }
ALWI void eq_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    eq_int_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

template <DataFormat data_format>
ALWI void ne_int_tile_init(TS_AT) {
    ts::sfpu::initialise("ne_int", at);
}

template <DataFormat data_format>
ALWI void ne_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"ne_int", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_integers<ts::sfpu::Compare::ne, data_format>(x, y));
    });
}

ALWI void ne_int32_tile_init(TS_AT) { ne_int_tile_init<DataFormat::Int32>(at); }
ALWI void ne_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ne_int_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void ne_uint32_tile_init(TS_AT) { ne_int_tile_init<DataFormat::UInt32>(at); }
ALWI void ne_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ne_int_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

ALWI void ne_uint16_tile_init(TS_AT) { ne_int_tile_init<DataFormat::UInt16>(at); }
ALWI void ne_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ne_int_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

template <DataFormat data_format>
ALWI void lt_int_tile_init(TS_AT) {
    ts::sfpu::initialise("lt_int", at);
}

template <DataFormat data_format>
ALWI void lt_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"lt_int", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_integers<ts::sfpu::Compare::lt, data_format>(x, y));
    });
}

ALWI void lt_int32_tile_init(TS_AT) { lt_int_tile_init<DataFormat::Int32>(at); }
ALWI void lt_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    lt_int_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void lt_uint32_tile_init(TS_AT) { lt_int_tile_init<DataFormat::UInt32>(at); }
ALWI void lt_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    lt_int_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

ALWI void lt_uint16_tile_init(TS_AT) { lt_int_tile_init<DataFormat::UInt16>(at); }
ALWI void lt_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    lt_int_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

template <DataFormat data_format>
ALWI void gt_int_tile_init(TS_AT) {
    ts::sfpu::initialise("gt_int", at);
}

template <DataFormat data_format>
ALWI void gt_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"gt_int", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_integers<ts::sfpu::Compare::gt, data_format>(x, y));
    });
}

ALWI void gt_int32_tile_init(TS_AT) { gt_int_tile_init<DataFormat::Int32>(at); }
ALWI void gt_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    gt_int_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void gt_uint32_tile_init(TS_AT) { gt_int_tile_init<DataFormat::UInt32>(at); }
ALWI void gt_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    gt_int_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

ALWI void gt_uint16_tile_init(TS_AT) { gt_int_tile_init<DataFormat::UInt16>(at); }
ALWI void gt_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    gt_int_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

template <DataFormat data_format>
ALWI void le_int_tile_init(TS_AT) {
    ts::sfpu::initialise("le_int", at);
}

template <DataFormat data_format>
ALWI void le_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"le_int", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_integers<ts::sfpu::Compare::le, data_format>(x, y));
    });
}

ALWI void le_int32_tile_init(TS_AT) { le_int_tile_init<DataFormat::Int32>(at); }
ALWI void le_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    le_int_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void le_uint32_tile_init(TS_AT) { le_int_tile_init<DataFormat::UInt32>(at); }
ALWI void le_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    le_int_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

ALWI void le_uint16_tile_init(TS_AT) { le_int_tile_init<DataFormat::UInt16>(at); }
ALWI void le_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    le_int_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

template <DataFormat data_format>
ALWI void ge_int_tile_init(TS_AT) {
    ts::sfpu::initialise("ge_int", at);
}

template <DataFormat data_format>
ALWI void ge_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"ge_int", at}, idst0, idst1, odst, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_integers<ts::sfpu::Compare::ge, data_format>(x, y));
    });
}

ALWI void ge_int32_tile_init(TS_AT) { ge_int_tile_init<DataFormat::Int32>(at); }
ALWI void ge_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ge_int_tile<DataFormat::Int32>(idst0, idst1, odst, at);
}

ALWI void ge_uint32_tile_init(TS_AT) { ge_int_tile_init<DataFormat::UInt32>(at); }
ALWI void ge_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ge_int_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

ALWI void ge_uint16_tile_init(TS_AT) { ge_int_tile_init<DataFormat::UInt16>(at); }
ALWI void ge_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ge_int_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}
}  // namespace ckernel
