// left_shift_tile and right_shift_tile by a number.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void left_shift_tile_init(TS_AT) { ts::sfpu::initialise("left_shift", at); }

template <DataFormat data_format>
ALWI void left_shift_tile(uint32_t idst, uint32_t param0, TS_AT) {
    const uint32_t by = param0;
    ts::sfpu::map_words({"left_shift", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::keep_width<data_format == DataFormat::UInt16>(by >= 32 ? ts::sfpu::Int(0) : x << int(by));
    });
}

ALWI void right_shift_tile_init(TS_AT) { ts::sfpu::initialise("right_shift", at); }

template <DataFormat data_format>
ALWI void right_shift_tile(uint32_t idst, uint32_t param0, TS_AT) {
    const uint32_t by = param0 >= 32 ? 31 : param0;
    ts::sfpu::map_words({"right_shift", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return data_format == DataFormat::UInt16 ? ts::sfpu::logical_right(x & 0xffff, int(by)) : x >> int(by);
    });
}
}  // namespace ckernel
