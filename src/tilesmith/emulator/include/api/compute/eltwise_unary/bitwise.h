// Bits of a tile and a number: and, or, exclusive or.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void bitwise_and_tile_init(TS_AT) { ts::sfpu::initialise("bitwise_and", at); }

template <DataFormat data_format>
ALWI void bitwise_and_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"bitwise_and", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::keep_width<data_format == DataFormat::UInt16>(x & ts::sfpu::Int(param0));
    });
}

ALWI void bitwise_or_tile_init(TS_AT) { ts::sfpu::initialise("bitwise_or", at); }

template <DataFormat data_format>
ALWI void bitwise_or_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"bitwise_or", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::keep_width<data_format == DataFormat::UInt16>(x | ts::sfpu::Int(param0));
    });
}

ALWI void bitwise_xor_tile_init(TS_AT) { ts::sfpu::initialise("bitwise_xor", at); }

template <DataFormat data_format>
ALWI void bitwise_xor_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"bitwise_xor", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::keep_width<data_format == DataFormat::UInt16>(x ^ ts::sfpu::Int(param0));
    });
}
}  // namespace ckernel
