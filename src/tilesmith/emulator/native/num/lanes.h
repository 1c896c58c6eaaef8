// Sixteen 32-bit lanes: one row of a face, on whatever vectors the host has.
#pragma once
// Whoever includes this has loops of constant length to unroll and vectorise, which GCC leaves alone at -O2.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <cstdint>
#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#endif

#define TS_INLINE inline __attribute__((always_inline))
#define TS_INLINE_LAMBDA __attribute__((always_inline))
#define TS_NOINLINE __attribute__((noinline))  // keeps the build of the runtime quick

#if defined(__AVX512F__) || defined(__clang__)
#include "lanes_whole.h"
#else
#include "lanes_halves.h"  // GCC takes vectors wider than the host's apart datum by datum
#endif

namespace ts::num {

TS_INLINE F16 as_float(I16 bits) { return (F16)bits; }
TS_INLINE I16 as_bits(F16 value) { return (I16)value; }
TS_INLINE I16 max(I16 a, I16 b) { return TS_SELECT(a > b, a, b); }
TS_INLINE I16 min(I16 a, I16 b) { return TS_SELECT(a < b, a, b); }
TS_INLINE I16 shift_right(I16 value, I16 by) { return (I16)((U16)value >> (U16)by); }  // logical
TS_INLINE I16 shift_right(I16 value, int by) { return (I16)((U16)value >> by); }

// Arithmetic, by any distance that is not negative: far away nothing but the sign is left.
TS_INLINE I16 shift_far(I16 value, I16 by) {
#ifdef __AVX512F__
    return (I16)_mm512_srav_epi32((__m512i)value, (__m512i)by);
#else
    return value >> min(by, splat(31));
#endif
}

TS_INLINE I16 absolute(I16 value) {
#ifdef __AVX512F__
    return (I16)_mm512_abs_epi32((__m512i)value);
#else
    const I16 negative = value >> 31;
    return (value ^ negative) - negative;
#endif
}

// Loaded once: GCC would read it again for every use.
TS_INLINE F16 in_register(F16 value) {
#ifdef __AVX512F__
    asm("" : "+v"(value));
#endif
    return value;
}

// Whether a lane is not zero.
TS_INLINE bool any(I16 lanes) {
#ifdef __AVX512F__
    return _mm512_test_epi32_mask((__m512i)lanes, (__m512i)lanes) != 0;
#else
    uint64_t words[8], all = 0;
    std::memcpy(words, &lanes, sizeof words);
    for (const uint64_t word : words) all |= word;
    return all != 0;
#endif
}

// a * b + c. A product that a float holds makes it the same with one rounding and with two.
TS_INLINE F16 multiply_add(F16 a, float b, F16 c) {
#ifdef __AVX512F__
    return (F16)_mm512_fmadd_ps((__m512)a, _mm512_set1_ps(b), (__m512)c);
#else
    return a * b + c;
#endif
}

#ifdef __AVX512F__
TS_INLINE F16 add_rounded_down(F16 a, F16 b) {
    return (F16)_mm512_add_round_ps((__m512)a, (__m512)b, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
#endif

TS_INLINE I16 to_int_floor(F16 value) {
#ifdef __AVX512F__
    return (I16)_mm512_cvt_roundps_epi32((__m512)value, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#else
    return to_int(floor(value));
#endif
}

// Twice a magnitude below 2^30; a bit below its last, where floats drop any, rounds ties up.
TS_INLINE I16 twice_with_ties(I16 magnitude) {
    constexpr int32_t held = 0xFFFFFF;  // by floats
#ifdef __AVX512VBMI2__
    return (I16)_mm512_shldi_epi32((__m512i)magnitude, (__m512i)(held - magnitude), 1);
#else
    const I16 doubled = magnitude + magnitude;
    return TS_SELECT(magnitude > held, doubled + 1, doubled);
#endif
}

// Position of the leading one of a positive value; of zero, anything from -1 to -127.
TS_INLINE I16 leading_bit(I16 value) {
#ifdef __AVX512CD__
    return 31 - (I16)_mm512_lzcnt_epi32((__m512i)value);
#else
    return shift_right(as_bits(to_float(value & ~(value >> 1))), 23) - 127;  // the mask keeps it from rounding up
#endif
}

}  // namespace ts::num
