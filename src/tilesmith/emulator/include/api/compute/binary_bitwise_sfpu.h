// Bits of two tiles: and, or, exclusive or.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void binary_bitwise_tile_init(TS_AT) { ts::sfpu::initialise("binary_bitwise", at); }

template <DataFormat data_format>
ALWI void bitwise_and_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"binary_bitwise", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return x & y; });
}

ALWI void bitwise_and_uint16_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    bitwise_and_binary_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

ALWI void bitwise_and_uint32_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    bitwise_and_binary_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

template <DataFormat data_format>
ALWI void bitwise_or_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"binary_bitwise", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return x | y; });
}

ALWI void bitwise_or_uint16_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    bitwise_or_binary_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

ALWI void bitwise_or_uint32_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    bitwise_or_binary_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}

template <DataFormat data_format>
ALWI void bitwise_xor_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    ts::sfpu::map_words({"binary_bitwise", at}, idst0, idst1, odst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return x ^ y; });
}

ALWI void bitwise_xor_uint16_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    bitwise_xor_binary_tile<DataFormat::UInt16>(idst0, idst1, odst, at);
}

ALWI void bitwise_xor_uint32_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TS_AT) {
    bitwise_xor_binary_tile<DataFormat::UInt32>(idst0, idst1, odst, at);
}
}  // namespace ckernel
