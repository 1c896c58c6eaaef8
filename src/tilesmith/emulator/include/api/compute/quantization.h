// Between floats and small integers, by a scale per element and one zero point.
#pragma once
#include "ts/sfpu/quantise.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void quant_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("quant", zero_point, DataFormat::Int32, at);
}
ALWI void quant_uint8_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("quant", zero_point, DataFormat::UInt8, at);
}
ALWI void quant_int8_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("quant", zero_point, DataFormat::Int8, at);
}
ALWI void requant_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("requant", zero_point, DataFormat::Int32, at);
}
ALWI void requant_uint8_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("requant", zero_point, DataFormat::UInt8, at);
}
ALWI void requant_int8_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("requant", zero_point, DataFormat::Int8, at);
}
ALWI void requant_int8_in_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("requant", zero_point, DataFormat::Int32, at);
}
ALWI void requant_int8_in_uint8_out_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("requant", zero_point, DataFormat::UInt8, at);
}
ALWI void requant_int8_in_int8_out_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("requant", zero_point, DataFormat::Int8, at);
}
ALWI void dequant_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("dequant", zero_point, DataFormat::Int32, at);
}
ALWI void dequant_int8_tile_init(const uint32_t zero_point, TS_AT) {
    ts::sfpu::begin_quantisation("dequant", zero_point, DataFormat::Int32, at);
}

ALWI void quant_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::quantise<false, false>({"quant", at}, idst0, idst1, odst);
}
ALWI void quant_int8_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::quantise<false, false>({"quant", at}, idst0, idst1, odst);
}
ALWI void requant_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::quantise<true, false>({"requant", at}, idst0, idst1, odst);
}
ALWI void requant_int8_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::quantise<true, false>({"requant", at}, idst0, idst1, odst);
}
ALWI void requant_int8_in_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::quantise<true, true>({"requant", at}, idst0, idst1, odst);
}
ALWI void requant_int8_in_int8_out_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::quantise<true, true>({"requant", at}, idst0, idst1, odst);
}
ALWI void dequant_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::dequantise<false>({"dequant", at}, idst0, idst1, odst);
}
ALWI void dequant_int8_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::dequantise<true>({"dequant", at}, idst0, idst1, odst);
}
}  // namespace ckernel
