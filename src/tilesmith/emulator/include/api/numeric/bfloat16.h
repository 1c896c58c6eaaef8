// bfloat16 as bits, for kernels that compute on a data-movement RISC.
#pragma once
#include "ts/prologue.h"

inline constexpr uint16_t NEG_INF_BFLOAT16 = 0xFF80;
inline constexpr uint16_t POS_INF_BFLOAT16 = 0x7F80;
inline constexpr uint16_t NAN_BFLOAT16 = 0x7FFF;
inline constexpr uint16_t BFLOAT16_SIGN_MASK = 0x8000;
inline constexpr uint16_t BFLOAT16_EXPONENT_MASK = 0x7F80;
inline constexpr uint16_t BFLOAT16_MANTISSA_MASK = 0x007F;
inline constexpr uint16_t BFLOAT16_MAGNITUDE_MASK = 0x7FFF;

FORCE_INLINE float bf16_to_fp32(std::uint16_t bf16) { return std::bit_cast<float>(static_cast<uint32_t>(bf16) << 16); }
// To nearest, ties to even.
FORCE_INLINE std::uint16_t fp32_to_bf16(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
FORCE_INLINE std::uint16_t fp32_to_bf16_truncate(float x) {
    return static_cast<std::uint16_t>(std::bit_cast<uint32_t>(x) >> 16);
}
struct FloatBits {
    std::uint16_t high16;
    std::uint16_t low16;
    explicit FloatBits(float value)
        : high16(fp32_to_bf16_truncate(value)), low16(static_cast<std::uint16_t>(std::bit_cast<uint32_t>(value))) {}
};
// Signed magnitudes in bit order; NaN counts as larger than infinity.
inline bool bfloat16_greater(uint16_t a, uint16_t b) {
    if ((a ^ b) & BFLOAT16_SIGN_MASK) return (a & BFLOAT16_SIGN_MASK) == 0;
    return (a & BFLOAT16_SIGN_MASK) ? a < b : a > b;
}
