// Sixteen 32-bit lanes: one row of a face, on whatever vectors the host has.
#pragma once
// Whoever includes this has loops of constant length to unroll and vectorise, which GCC leaves alone at -O2.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <cstdint>
#include <cstring>

#define TS_INLINE inline __attribute__((always_inline))
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

// Position of the leading one of a positive value. The mask keeps the conversion from rounding up.
TS_INLINE I16 leading_bit(I16 value) { return shift_right(as_bits(to_float(value & ~(value >> 1))), 23) - 127; }

}  // namespace ts::num
