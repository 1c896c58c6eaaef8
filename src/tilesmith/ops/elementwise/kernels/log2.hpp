// log2 of DST tile d, exact for powers of two: where no bit of the mantissa is set the result is a whole number.
// s and t are free tiles; the bits can be looked at where DST holds 32 of them.
#pragma once
#include <cstdint>

inline void log2_tile(uint32_t d, uint32_t s, uint32_t t, uint32_t one_by_ln2) {
    constexpr uint32_t INT = (uint32_t)DataFormat::Int32, REAL = (uint32_t)DataFormat::Float32;
    if constexpr (DST_ACCUM_MODE) {
        copy_dest_values_init();
        copy_dest_values(d, s);
        bitwise_and_tile_init();
        bitwise_and_tile<DataFormat::Int32>(s, 0x007FFFFF);
        nez_tile_init();
        nez_tile_int32(s);
        typecast_tile_init<INT, REAL>();
        typecast_tile<INT, REAL>(s);
    }
    log_with_base_tile_init();
    log_with_base_tile(d, one_by_ln2);
    if constexpr (DST_ACCUM_MODE) {
        copy_dest_values_init();
        copy_dest_values(d, t);
        rounding_op_tile_init();
        round_tile(t, 0);
        where_tile_init();
        where_tile<DataFormat::Float32>(s, d, t, d);
    }
}
