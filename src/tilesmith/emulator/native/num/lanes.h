// Sixteen 32-bit lanes: one row of a face. GCC vector extensions, so the compiler picks AVX-512, AVX2 or NEON.
#pragma once
// Whoever includes this has loops of constant length to unroll and vectorise, which GCC leaves alone at -O2.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <cstdint>
#include <cstring>

namespace ts::num {

using I16 = int32_t __attribute__((vector_size(64)));
using U16 = uint32_t __attribute__((vector_size(64)));
using F16 = float __attribute__((vector_size(64)));

#define TS_INLINE inline __attribute__((always_inline))
#define TS_NOINLINE __attribute__((noinline))  // keeps the build of the runtime quick

TS_INLINE I16 splat(int32_t v) { return I16{v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v}; }
TS_INLINE F16 splat_float(float v) { return F16{v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v}; }
TS_INLINE I16 load(const void* from) {
    I16 value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
TS_INLINE void store(void* to, I16 value) { std::memcpy(to, &value, sizeof value); }
TS_INLINE F16 load_float(const void* from) {
    F16 value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
TS_INLINE void store_float(void* to, F16 value) { std::memcpy(to, &value, sizeof value); }
TS_INLINE F16 as_float(I16 bits) { return (F16)bits; }
TS_INLINE I16 as_bits(F16 value) { return (I16)value; }
TS_INLINE I16 max(I16 a, I16 b) { return a > b ? a : b; }
TS_INLINE I16 min(I16 a, I16 b) { return a < b ? a : b; }
TS_INLINE I16 shift_right(I16 value, I16 by) { return (I16)((U16)value >> (U16)by); }  // logical
TS_INLINE I16 shift_right(I16 value, int by) { return (I16)((U16)value >> by); }

// Position of the leading one of a positive value. The mask keeps the conversion from rounding up.
TS_INLINE I16 leading_bit(I16 value) {
    const F16 rounded = __builtin_convertvector(value & ~(value >> 1), F16);
    return shift_right(as_bits(rounded), 23) - 127;
}

TS_INLINE int32_t largest_lane(I16 v) {
    v = max(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    v = max(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    v = max(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    v = max(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
    return v[0];
}

}  // namespace ts::num
