// Data formats by the vendor's numbers.
#pragma once
#include <cstdint>

enum class DataFormat : std::uint8_t {
    Float32 = 0,
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Tf32 = 4,
    Float16_b = 5,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Int32 = 8,
    UInt16 = 9,
    Lf8 = 10,
    Bfp2 = 11,
    Int8 = 14,
    Bfp2_b = 15,
    UInt32 = 24,
    Fp8_e4m3 = 26,
    UInt8 = 30,
    RawUInt8 = 0xf0,
    RawUInt16 = 0xf1,
    RawUInt32 = 0xf2,
    Invalid = 0xff,
};

namespace ts {
// Not std::min: its header alone takes as long to compile as a kernel.
constexpr uint32_t smaller(uint64_t a, uint64_t b) { return static_cast<uint32_t>(a < b ? a : b); }
constexpr uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

// Bytes of one tile of `datums` elements whose faces share one exponent per 16 of them.
constexpr uint32_t tile_bytes(DataFormat format, uint32_t datums) {
    const uint32_t exponents = (datums / 16 + 15) / 16 * 16;
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::Tf32:
        case DataFormat::RawUInt32: return datums * 4;
        case DataFormat::Float16:
        case DataFormat::Float16_b:
        case DataFormat::UInt16:
        case DataFormat::RawUInt16: return datums * 2;
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b: return datums + exponents;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return datums / 2 + exponents;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return datums / 4 + exponents;
        default: return datums;
    }
}
}  // namespace ts
