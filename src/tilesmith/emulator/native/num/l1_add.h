// The packer's adder: what "accumulate in L1" does to a datum that is already there.
#pragma once
#include <cstdint>
#include <cstring>

namespace ts::num {

inline uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float float_of(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline uint32_t without_denormal(uint32_t word) { return (word & 0x7FFFFFFF) < 0x800000 ? word & 0x80000000 : word; }

inline uint32_t add_float(uint32_t old, uint32_t value) {
    const uint32_t sum = bits_of(float_of(without_denormal(old)) + float_of(without_denormal(value)));
    return (sum & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC00000 : without_denormal(sum);
}

// NaN patterns count as numbers beyond the largest one.
inline double bf16_beyond(uint32_t bits, bool in_memory) {
    const uint32_t sign = bits & 0x8000;
    if ((bits & 0x7FFF) <= 0x7F80) return float_of(((bits & 0x7FFF) < 0x80 ? sign : bits) << 16);
    const double value = in_memory ? 0x1.fffffffffffffp1023 : (1.0 + (bits & 0x7F) / 128.0) * 0x1p128;
    return sign ? -value : value;
}

inline uint32_t add_bf16(uint32_t old, uint32_t value) {
    if ((old == 0x7F80 && value == 0xFF80) || (old == 0xFF80 && value == 0x7F80)) return 0x7FC0;
    const double sum = bf16_beyond(old, true) + bf16_beyond(value, false);
    uint64_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    const uint32_t sign = uint32_t(bits >> 63) << 15;
    const int32_t exponent = int32_t(bits >> 52 & 0x7FF) - 1023 + 127;
    const uint64_t mantissa = bits & ((1ull << 52) - 1);
    if (exponent <= 0) return sign;
    if (exponent >= 255) return sign | 0x7F80;
    const uint64_t rounded = (mantissa + (1ull << 44) - 1 + (mantissa >> 45 & 1)) >> 45;
    return sign | (uint32_t(exponent << 7) + uint32_t(rounded));
}

inline uint32_t add_half(uint32_t old, uint32_t value) {
    auto widen = [](uint32_t half) {
        const uint32_t sign = (half & 0x8000) << 16;
        return float_of((half & 0x7FFF) >= 0x400 ? sign | (((half & 0x7FFF) << 13) + (112 << 23)) : sign);
    };
    const uint32_t sum = bits_of(widen(old) + widen(value));
    const uint32_t sign = sum >> 16 & 0x8000;
    if (!(sum & 0x7FFFFFFF)) return sign | ((old >> 10 & 31) >= 30 ? 0x7FFF : 0);
    const int32_t exponent = int32_t(sum >> 23 & 255) - 112;
    if (exponent <= 0) return sign | (exponent < 0 ? 0x7FFF : 0);
    const uint32_t mantissa = sum & 0x7FFFFF;
    const uint32_t packed = uint32_t(exponent << 10) + ((mantissa + (1u << 12) - 1 + (mantissa >> 13 & 1)) >> 13);
    return sign | (packed < 0x8000 ? packed : 0x7FFF);
}

}  // namespace ts::num
