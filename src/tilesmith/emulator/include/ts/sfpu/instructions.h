// The vector unit's instructions on lanes: fields of a number, conversions, minimum and maximum, table lookup.
#pragma once
#include "ts/sfpu/real.h"

namespace ts::sfpu {
template <class F>
using IsReal = decltype(F::chip);

inline constexpr int32_t sign_bit = int32_t(0x80000000u);

template <class F, class = IsReal<F>>
TS_LANE F select(Mask m, F yes, F no) {
    return F::from_bits(select(m, yes.as_int(), no.as_int()));
}
template <class F>
TS_LANE F select(Mask m, Product<F> yes, F no) { return select(m, F(yes), no); }
template <class F>
TS_LANE F select(Mask m, F yes, Product<F> no) { return select(m, yes, F(no)); }
template <class F>
TS_LANE F select(Mask m, Product<F> yes, Product<F> no) { return select(m, F(yes), F(no)); }
template <class F>
TS_LANE F select(Mask m, float yes, F no) { return select(m, F(yes), no); }
template <class F>
TS_LANE F select(Mask m, F yes, float no) { return select(m, yes, F(no)); }

// Denormals become zero, as they do in any multiply-add.
template <class F> TS_LANE F flush(F x) {
    if constexpr (F::chip) return mad(x, F(1.0f), F(0.0f));
    return F::from_bits(select((x.as_int() & 0x7f800000) == 0, Int(0), x.as_int()));
}

// Comparison with zero reads the sign and the bits: negative zero is below zero, and not equal to it.
template <class F> TS_LANE Mask negative(F x) { return x.as_int() < 0; }
template <class F> TS_LANE Mask not_negative(F x) { return x.as_int() >= 0; }
template <class F> TS_LANE Mask positive(F x) { return x.as_int() > 0; }
template <class F> TS_LANE Mask is_zero_bits(F x) { return x.as_int() == 0; }

template <class F> TS_LANE Int biased_exponent(F x) { return x.as_int() >> 23 & 255; }
template <class F> TS_LANE Int exponent(F x) { return biased_exponent(x) - 127; }
template <class F> TS_LANE Int fraction(F x) { return x.as_int() & 0x7fffff; }
template <class F> TS_LANE Int significand(F x) { return fraction(x) | 0x800000; }
template <class F> TS_LANE F set_exponent(F x, Int e) {
    return F::from_bits((x.as_int() & int32_t(0x807fffffu)) | ((e & 255) << 23));
}
template <class F> TS_LANE F copy_exponent(F x, F from) { return set_exponent(x, biased_exponent(from)); }
template <class F> TS_LANE F set_fraction(F x, Int f) {
    return F::from_bits((x.as_int() & int32_t(0xff800000u)) | (f & 0x7fffff));
}
template <class F> TS_LANE F copy_fraction(F x, F from) { return set_fraction(x, from.as_int()); }
template <class F> TS_LANE F without_sign(F x) { return F::from_bits(x.as_int() & 0x7fffffff); }
template <class F> TS_LANE F with_sign(F x) { return F::from_bits(x.as_int() | sign_bit); }
template <class F> TS_LANE F copy_sign(F x, F from) {
    return F::from_bits((x.as_int() & 0x7fffffff) | (from.as_int() & sign_bit));
}
// Odd integers turn the sign negative, even ones positive.
template <class F> TS_LANE F sign_from_parity(F x, Int n) { return F::from_bits((x.as_int() & 0x7fffffff) | (n << 31)); }
template <class F> TS_LANE F abs(F x) {
    const Int i = x.as_int();
    return F::from_bits(select(unsigned_less(Int(0xff800000u), i), i, i & 0x7fffffff));  // negative NaN stays as it is
}
template <class F> TS_LANE F add_exponent(F x, int n) {
    const Int e = biased_exponent(x);
    return set_exponent(x, select(e == 255, e, e + n));
}

template <class F> TS_LANE Mask is_nan(F x) { return (biased_exponent(x) == 255) & (fraction(x) != 0); }
template <class F> TS_LANE Mask is_inf(F x) { return (x.as_int() & 0x7fffffff) == 0x7f800000; }
template <class F> TS_LANE Mask is_finite(F x) { return biased_exponent(x) < 255; }

template <class F> TS_LANE F minimum(F a, F b) {
    return select(total_order(a.as_int()) <= total_order(b.as_int()), a, b);
}
template <class F> TS_LANE F maximum(F a, F b) {
    return select(total_order(a.as_int()) <= total_order(b.as_int()), b, a);
}
template <class F> TS_LANE F clamp(F x, F low, F high) { return minimum(maximum(x, low), high); }

// Sign-magnitude integer to float, to nearest even; the sign survives even for zero.
template <class F> TS_LANE F from_sign_magnitude(Int i) {
    const Floats magnitude = __builtin_convertvector((i & 0x7fffffff).v, Floats);
    return F::from_bits(bits<Ints>(magnitude) | (i & sign_bit).v);
}
template <class F> TS_LANE F from_int(Int i) { return from_sign_magnitude<F>(swap_sign_magnitude(i)); }

namespace detail {
// Float to an integer magnitude of at most `limit`, half away from zero. Infinity and NaN count as huge.
template <class F>
TS_LANE Int rounded_magnitude(F x, int limit) {
    const Int e = exponent(x);
    const Int doubled = shift(significand(x), e - 22);
    const Int r = logical_right(doubled + 1, 1);
    return select(e < -1, Int(0), select((e >= 16) | (r > limit), Int(limit), r));
}
}  // namespace detail

// Conversions to small integers, sign-magnitude where signed. A zero result is positive.
template <class F> TS_LANE Int to_signed_magnitude(F x, int limit) {
    const Int m = detail::rounded_magnitude(x, limit);
    return m | select(m == 0, Int(0), x.as_int() & sign_bit);
}
template <class F> TS_LANE Int to_smag16(F x) { return to_signed_magnitude(x, 32767); }
template <class F> TS_LANE Int to_smag8(F x) { return to_signed_magnitude(x, 127); }
template <class F> TS_LANE Int to_uint16(F x) { return detail::rounded_magnitude(x, 65535); }
template <class F> TS_LANE Int to_uint8(F x) { return detail::rounded_magnitude(x, 255); }

// To bfloat16, half away from zero; denormals become zero and NaN becomes infinity.
template <class F> TS_LANE F round_to_bf16(F x) {
    const Int i = x.as_int();
    const Int e = biased_exponent(x);
    const Int rounded = (i + 0x8000) & int32_t(0xffff0000u);
    return F::from_bits(select(e == 0, Int(0), select(e == 255, i & int32_t(0xff800000u), rounded)));
}
template <bool Wide, class F> TS_LANE F narrow(F x) {
    if constexpr (Wide) return x;
    return round_to_bf16(x);
}

// A float as DST keeps it: no denormals, and only the upper half in 16-bit mode.
template <class F>
TS_LANE Int stored_float(F x, bool wide) {
    const Int i = x.as_int();
    const Int flushed = select((i & 0x7f800000) == 0, i & sign_bit, i);
    return wide ? flushed : flushed & int32_t(0xffff0000u);
}
// A number that is put into DST and taken out again on the way.
template <bool Wide, class F> TS_LANE F through_dst(F x) { return F::from_bits(stored_float(x, Wide)); }

// Nearest integer by adding and taking away 1.5 * 2^23: the integer as a float, and as an integer.
template <class F> struct Rounded {
    F value;
    Int integer;
};
template <class F> TS_LANE Rounded<F> round_by_magic(F x) {
    const F magic(12582912.0f);
    const F shifted = x + magic;
    return {shifted - magic, shifted.as_int() - magic.as_int()};
}

// c0 + x * (c1 + x * (...)): `fused` makes every step one multiply-add, `horner` only where the coefficient allows it.
template <class F> TS_LANE F fused(F, float c0) { return c0; }
template <class F, class... More> TS_LANE F fused(F x, float c0, More... more) {
    return mad(x, fused(x, more...), F(c0));
}
template <class F> TS_LANE F horner(F, float c0) { return c0; }
template <class F, class... More> TS_LANE F horner(F x, float c0, More... more) { return x * horner(x, more...) + c0; }

// A constant the instruction set holds as bfloat16 or as half precision: cut, not rounded.
constexpr float as_bf16(float x) { return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, x) & 0xffff0000u); }

template <class F> TS_LANE F scalar(uint32_t pattern) { return F(__builtin_bit_cast(float, pattern)); }

#ifdef ARCH_BLACKHOLE
// The reciprocal table: seven bits of fraction by seven bits of fraction.
inline constexpr uint8_t reciprocal_table[128] = {
    127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100, 99, 97, 96, 94, 93, 91,
    90,  88,  87,  85,  84,  83,  81,  80,  79,  77,  76,  75,  74,  72,  71,  70,  69, 68, 66, 65, 64, 63,
    62,  61,  60,  59,  58,  57,  56,  55,  54,  53,  52,  51,  50,  49,  48,  47,  46, 45, 44, 43, 42, 41,
    40,  40,  39,  38,  37,  36,  35,  35,  34,  33,  32,  31,  31,  30,  29,  28,  28, 27, 26, 25, 25, 24,
    23,  23,  22,  21,  21,  20,  19,  19,  18,  17,  17,  16,  15,  15,  14,  14,  13, 12, 12, 11, 11, 10,
    9,   9,   8,   8,   7,   7,   6,   5,   5,   4,   4,   3,   3,   2,   2,   1,   1,  0};

template <class F> TS_LANE F approximate_reciprocal(F x) {
    Ints out = Ints{};
    for (int lane = 0; lane < lane_count; ++lane) {
        const uint32_t word = static_cast<uint32_t>(x.as_int().v[lane]);
        const uint32_t magnitude = word & 0x7fffffffu;
        uint32_t r = 0;
        if (magnitude < 0x00800000u) {
            r = 0x7f800000u;
        } else if (magnitude < 0x7e800000u) {
            r = (253 - (magnitude >> 23)) << 23 | uint32_t(reciprocal_table[magnitude >> 16 & 0x7f]) << 16;
        }
        out[lane] = static_cast<int32_t>(r | (word & 0x80000000u));
    }
    return F::from_bits(out);
}
#endif

// Piecewise linear tables on |x|. Six segments: half steps up to 3; the coefficients are half precision.
struct Line {
    float slope, offset;
};
constexpr float as_half(float x) {
    const uint32_t u = __builtin_bit_cast(uint32_t, x);
    const uint32_t magnitude = u & 0x7fffffffu;
    if (magnitude < 0x38800000u) return 0.0f;
    const uint32_t rounded = (magnitude + 0xfffu + (magnitude >> 13 & 1)) & ~0x1fffu;
    return __builtin_bit_cast(float, rounded | (u & 0x80000000u));
}
template <class F> TS_LANE F line_table(F x, const Line (&lines)[6], bool keep_sign) {
    const F a = without_sign(x);
    const Int i = a.as_int();
    F slope(as_half(lines[5].slope)), offset(as_half(lines[5].offset));
    constexpr int32_t ends[5] = {0x3f000000, 0x3f800000, 0x3fc00000, 0x40000000, 0x40400000};
    for (int s = 4; s >= 0; --s) {
        slope = select(i < ends[s], F(as_half(lines[s].slope)), slope);
        offset = select(i < ends[s], F(as_half(lines[s].offset)), offset);
    }
    const F r = slope * a + offset;
    return keep_sign ? copy_sign(r, x) : r;
}
}  // namespace ts::sfpu
