// One datum at a time: float32 bits to and from every format whose datums stand alone.
#pragma once
#include <cstdint>

namespace ts {

inline uint32_t select(bool condition, uint32_t yes, uint32_t no) { return condition ? yes : no; }

// ---- bfloat16 ----

// To nearest, ties to even; NaN stays NaN. What torch and the vendor's host code do.
inline uint16_t bf16_host(uint32_t x) {
    uint32_t rounded = (x + 0x7fffu + ((x >> 16) & 1u)) >> 16;
    uint32_t quiet = ((x >> 16) & 0x8000u) | 0x7fc0u;
    return uint16_t(select((x & 0x7fffffffu) > 0x7f800000u, quiet, rounded));
}

// To nearest, ties away from zero; denormals and -0 become +0, NaN becomes infinity. What the packer does.
inline uint16_t bf16_device(uint32_t x) {
    uint32_t magnitude = x & 0x7fffffffu;
    uint32_t rounded = (x + 0x8000u) >> 16;
    uint32_t infinity = ((x >> 16) & 0x8000u) | 0x7f80u;
    uint32_t result = select(magnitude >= 0x7f7f8000u, infinity, rounded);
    return uint16_t(select(magnitude < 0x00800000u, 0, result));
}

inline uint32_t bf16_value(uint16_t x) { return uint32_t(x) << 16; }

// ---- float16 ----

// IEEE: to nearest, ties to even, denormals kept.
inline uint16_t fp16_host(uint32_t x) {
    uint32_t sign = (x >> 16) & 0x8000u;
    uint32_t magnitude = x & 0x7fffffffu;
    uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    // Below 2^-14 the result is a multiple of 2^-24: shift the full mantissa there and round what falls off.
    uint32_t exponent = magnitude >> 23;
    uint32_t shift = select(exponent >= 102, select(exponent > 112, 14, 126 - exponent), 25);
    uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    uint32_t denormal = (mantissa + ((1u << (shift - 1)) - 1u) + ((mantissa >> shift) & 1u)) >> shift;
    uint32_t result = select(magnitude < 0x38800000u, denormal, normal);
    result = select(magnitude >= 0x477ff000u, 0x7c00u, result);
    result = select(magnitude > 0x7f800000u, 0x7e00u | ((magnitude >> 13) & 0x3ffu), result);
    return uint16_t(sign | result);
}

// The packer saturates the exponent, then truncates; exponent 31 is an ordinary number, there is no NaN.
inline uint16_t fp16_device(uint32_t x) {
    uint32_t sign = (x >> 16) & 0x8000u;
    uint32_t magnitude = x & 0x7fffffffu;
    uint32_t result = (magnitude - 0x38000000u) >> 13;
    result = select(magnitude < 0x38000000u, 0, result);
    return uint16_t(sign | select(magnitude >= 0x48000000u, 0x7fffu, result));
}

inline uint32_t fp16_value(uint16_t x) {
    uint32_t sign = uint32_t(x & 0x8000u) << 16;
    uint32_t magnitude = x & 0x7fffu;
    uint32_t normal = (magnitude << 13) + 0x38000000u;
    uint32_t special = (magnitude << 13) | 0x7f800000u;
    float denormal_value = float(magnitude) * 0x1p-24f;
    uint32_t denormal;
    __builtin_memcpy(&denormal, &denormal_value, 4);
    uint32_t result = select(magnitude < 0x400u, denormal, normal);
    return sign | select(magnitude >= 0x7c00u, special, result);
}

// ---- formats that are stored as they are ----

template <class T>
inline T same(T x) {
    return x;
}

}  // namespace ts
