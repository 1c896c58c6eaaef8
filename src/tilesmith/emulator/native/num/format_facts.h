// What the data formats are made of.
#pragma once
#include "num.h"

namespace ts::num {

constexpr bool is_block(uint8_t format) {
    return format == fmt::bfp8 || format == fmt::bfp4 || format == fmt::bfp2 || format == fmt::bfp8_b ||
           format == fmt::bfp4_b || format == fmt::bfp2_b;
}

constexpr bool has_small_exponent(uint8_t format) {
    return format == fmt::float16 || format == fmt::bfp8 || format == fmt::bfp4 || format == fmt::bfp2 ||
           format == fmt::lf8 || format == fmt::fp8_e4m3;
}

constexpr bool is_integer(uint8_t format) {
    return format == fmt::int32 || format == fmt::uint32 || format == fmt::uint16 || format == fmt::int8 ||
           format == fmt::uint8;
}

// Sign and magnitude of one datum of a block format.
constexpr uint32_t block_bits(uint8_t format) {
    return (format == fmt::bfp8 || format == fmt::bfp8_b) ? 8 : (format == fmt::bfp4 || format == fmt::bfp4_b) ? 4 : 2;
}

constexpr uint32_t datum_bytes(uint8_t format) {
    switch (format) {
        case fmt::float32:
        case fmt::tf32:
        case fmt::int32:
        case fmt::uint32: return 4;
        case fmt::float16:
        case fmt::float16_b:
        case fmt::uint16: return 2;
        default: return 1;
    }
}

}  // namespace ts::num
