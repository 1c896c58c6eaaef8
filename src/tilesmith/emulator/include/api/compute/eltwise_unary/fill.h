// fill_tile: one number everywhere.
#pragma once
#include "ts/sfpu/instructions.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void fill_tile_init(TS_AT) { ts::sfpu::initialise("fill", at); }

ALWI void fill_tile(uint32_t idst, float param0, TS_AT) {
    ts::sfpu::fill_floats({"fill", at}, idst, [=](auto number) TS_OP { return decltype(number)(param0); });
}

ALWI void fill_tile_bitcast(uint32_t idst, uint32_t param0, TS_AT) {
    fill_tile(idst, __builtin_bit_cast(float, param0), at);
}

template <DataFormat DATA_FORMAT>
ALWI void fill_tile_int(uint32_t idst, uint32_t param0, TS_AT) {
    const uint32_t value = DATA_FORMAT == DataFormat::UInt16 ? param0 & 0xffff : param0;
    ts::sfpu::fill_words({"fill", at}, idst, [=](int) TS_OP { return ts::sfpu::Int(value); });
}

ALWI void fill_tile_uint16(uint32_t idst, uint32_t param0, TS_AT) {
    fill_tile_int<DataFormat::UInt16>(idst, param0, at);
}
ALWI void fill_tile_uint32(uint32_t idst, uint32_t param0, TS_AT) {
    fill_tile_int<DataFormat::UInt32>(idst, param0, at);
}
}  // namespace ckernel
