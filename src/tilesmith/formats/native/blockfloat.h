// Block floats: 16 datums of sign and magnitude share one exponent, the largest among them.
#pragma once
#include <cstdint>

namespace ts {

inline constexpr int group = 16;

struct Group {
    uint8_t exponent;
    uint8_t datum[group];  // sign above `bits - 1` bits of magnitude
};

inline uint32_t largest_exponent(const uint32_t* x) {
    uint32_t largest = 0;
    for (int i = 0; i < group; i++) {
        uint32_t exponent = (x[i] >> 23) & 255u;
        largest = exponent > largest ? exponent : largest;
    }
    return largest;
}

// Host: align by truncation, then round to nearest even; saturate; denormals are zero, and zero has no sign.
template <int bits>
inline Group block_host(const uint32_t* x) {
    constexpr uint32_t dropped = 24 - (bits - 1), half = 1u << (dropped - 1), most = (1u << (bits - 1)) - 1;
    Group out;
    uint32_t shared = largest_exponent(x);
    for (int i = 0; i < group; i++) {
        uint32_t exponent = (x[i] >> 23) & 255u;
        uint32_t gap = shared - exponent;
        uint32_t aligned = ((x[i] & 0x7fffffu) | 0x800000u) >> (gap < 31 ? gap : 31);
        uint32_t rounded = (aligned + (half - 1) + ((aligned >> dropped) & 1u)) >> dropped;
        uint32_t magnitude = rounded < most ? rounded : most;
        magnitude = exponent == 0 ? 0 : magnitude;
        uint32_t sign = magnitude == 0 ? 0 : x[i] >> 31;
        out.datum[i] = uint8_t(sign << (bits - 1) | magnitude);
    }
    out.exponent = uint8_t(shared);
    return out;
}

// The packer first rounds each datum to 6 bits of mantissa: denormals become zero, NaN becomes infinity.
inline uint32_t early_rounded(uint32_t x) {
    uint32_t magnitude = x & 0x7fffffffu;
    uint32_t rounded = (magnitude + 0x10000u) & 0x7ffe0000u;
    rounded = magnitude >= 0x7f800000u ? 0x7f800000u : rounded;
    return magnitude < 0x00800000u ? 0 : (x & 0x80000000u) | rounded;
}

// Device: then it aligns and rounds to 7 bits, both times with ties away from zero, saturates, and for fewer bits
// truncates.
template <int bits>
inline Group block_device(const uint32_t* in) {
    Group out;
    uint32_t x[group];
    for (int i = 0; i < group; i++) x[i] = early_rounded(in[i]);
    uint32_t shared = largest_exponent(x);
    for (int i = 0; i < group; i++) {
        uint32_t exponent = (x[i] >> 23) & 255u;
        uint32_t mantissa = exponent == 0 ? 0 : ((x[i] >> 16) & 0x7fu) | 0x80u;
        uint32_t gap = shared - exponent < 8 ? shared - exponent : 8;
        uint32_t rounded = (mantissa + (1u << gap)) >> (gap + 1);
        rounded = gap == 8 ? 0 : rounded;
        uint32_t magnitude = (rounded < 127 ? rounded : 127) >> (8 - bits);
        uint32_t sign = magnitude == 0 ? 0 : x[i] >> 31;
        out.datum[i] = uint8_t(sign << (bits - 1) | magnitude);
    }
    out.exponent = uint8_t(shared);
    return out;
}

// Where a datum could be denormal, infinite or NaN: exponent 255 keeps its bits, so that those two survive.
template <int bits>
inline uint32_t extreme_value(int shared, uint32_t magnitude) {
    int lead = __builtin_clz(magnitude | 1) - (32 - (bits - 1));
    int exponent = shared - lead;
    uint32_t mantissa = magnitude << (lead + 24 - (bits - 1));  // its leading one at bit 23
    return exponent >= 1 ? uint32_t(exponent) << 23 | (mantissa & 0x7fffffu) : mantissa >> (1 - exponent);
}

// A sign on a zero magnitude means minus infinity.
template <int bits>
inline void block_values(const Group& in, uint32_t* out) {
    constexpr uint32_t most = (1u << (bits - 1)) - 1;
    if (in.exponent < bits || in.exponent == 255) {
        for (int i = 0; i < group; i++) {
            uint32_t magnitude = in.datum[i] & most;
            out[i] = uint32_t(in.datum[i] >> (bits - 1)) << 31 | extreme_value<bits>(in.exponent, magnitude);
            if (magnitude == 0) out[i] = in.datum[i] ? 0xff800000u : 0;
        }
        return;
    }
    uint32_t scale_bits = uint32_t(in.exponent - (bits - 2)) << 23;
    float scale;
    __builtin_memcpy(&scale, &scale_bits, 4);
    for (int i = 0; i < group; i++) {
        uint32_t magnitude = in.datum[i] & most;
        uint32_t sign = uint32_t(in.datum[i] >> (bits - 1)) << 31;
        float value = float(int(magnitude)) * scale;
        uint32_t value_bits;
        __builtin_memcpy(&value_bits, &value, 4);
        out[i] = magnitude == 0 && sign ? 0xff800000u : sign | value_bits;
    }
}

// Datums narrower than a byte lie together, the first in the lowest bits.
template <int bits>
inline void store(const Group& in, uint8_t* out) {
    constexpr int per_byte = 8 / bits;
    for (int byte = 0; byte < group / per_byte; byte++) {
        uint32_t packed = 0;
        for (int i = 0; i < per_byte; i++) packed |= uint32_t(in.datum[byte * per_byte + i]) << (bits * i);
        out[byte] = uint8_t(packed);
    }
}

template <int bits>
inline Group load(uint8_t exponent, const uint8_t* in) {
    constexpr int per_byte = 8 / bits;
    Group out;
    out.exponent = exponent;
    for (int i = 0; i < group; i++) out.datum[i] = (in[i / per_byte] >> (bits * (i % per_byte))) & ((1u << bits) - 1);
    return out;
}

}  // namespace ts
