// Powers: of two tiles, of a tile and a number, and whole powers by repeated multiplication.
#pragma once
#include "ts/sfpu/exponential.h"
#include "ts/sfpu/logarithm.h"
#include "ts/sfpu/reciprocal.h"

namespace ts::sfpu {
namespace detail {
template <class F>
TS_LANE Int positive_to_int(F x) {
    const Int e = exponent(x);
    const Int inside = shift(significand(x), e - 23);
    return select(e < 0, Int(0), select(e > 30, Int(0x7fffffff), inside));
}

// 2^(pow * log2|base|) to about eight bits.
template <class F>
TS_LANE F power_magnitude_narrow(F base, F pow, float one_over_ln2) {
    const F x = set_exponent(without_sign(base), Int(127));
    const F series = horner(x, -0x1.952992p+0f, 0x2.4f5388p+0f, -0xd.e712ap-4f, 0x2.44734p-4f);
    const F log2 = from_int<F>(exponent(base)) + series * F(one_over_ln2);
    F z = pow * log2;
    z = add_exponent(select(z < F(-127.0f), F(-127.0f), z), 23);
    const F whole = F::from_bits(positive_to_int(z + F(float(0x3f800000))));
    const Int part = fraction(whole);
    const F d2 = F(0.40196114e-7f) * from_sign_magnitude<F>(Int(0xf94ee7) + part);
    const F d3 = from_sign_magnitude<F>(Int(0x560e) + part);
    return set_exponent(F::from_bits(positive_to_int(F(d2 * d3))), Int(127) + exponent(whole));
}

// log2|base| * pow as a high and a low part.
template <class F> struct SplitProduct {
    F high, low;
};
template <class F>
TS_LANE SplitProduct<F> power_exponent(F base, F pow, float guess0, float guess1, float one_over_ln2) {
    const F a = abs(base);
    F m = set_exponent(a, Int(127));
    Int e = exponent(a);
    const Mask upper = m >= F(1.4142135381698608f);
    m = select(upper, m * F(0.5f), m);
    e = select(upper, e + 1, e);
    const F m1 = m + F(1.0f);
    F r = F(guess0) - F(guess1) * m1;
    for (int i = 0; i < 3; ++i) r = r * (2.0f - m1 * r);
    const F z = m * r - r;
    const F p = horner(F(z * z), 1.0f, 0.3333333333333333f, 0.2f, 0.14285714285714285f, 0.1111111111111111f,
                       0.09090909090909091f);
    const F ln_m = F(2.0f) * F(z * p);
    const F e_float = from_int<F>(e);
    const F pc = pow * F(4097.0f);
    const F pow_high = pc - (pc - pow);
    const F pow_low = pow - pow_high;
    return {pow_high * e_float, mad(pow_low, e_float, F(pow * F(ln_m * F(one_over_ln2))))};
}
}  // namespace detail

namespace detail {
// Negative bases need a whole exponent, and take its parity as their sign.
template <class F>
TS_LANE F power_sign(F y, F base, F pow) {
    const Int n = to_smag16(pow);
    const F signed_y = select(from_sign_magnitude<F>(n) != pow, F::nan(), sign_from_parity(y, n));
    return select(negative(base), signed_y, y);
}
}  // namespace detail

// base^pow of two tiles in 16-bit DST.
template <class F>
TS_LANE F power_narrow(F base, F pow) {
    F y = detail::power_magnitude_narrow(base, pow, 1.442695f);
    y = select(is_zero_bits(without_sign(base)) & negative(pow), F::nan(), y);
    return round_to_bf16(detail::power_sign(y, base, pow));
}

template <class F>
TS_LANE F power_wide(F base, F pow) {
    const auto q = detail::power_exponent(base, pow, 1.0f, 0.2426406871192851f, 1.442695f);
    F s = q.high + q.low;
    F e = q.low - (s - q.high);
    const Mask low = s < F(-127.0f);
    s = select(low, F(-127.0f), s);
    e = select(low, F(0.0f), e);
    const Rounded<F> k = round_by_magic(s);
    const F part = (s - k.value) + e;
    F y = exp_wide(F(part * F(0.693147180559945309f)));
    const Int exponent_out = biased_exponent(y) + k.integer;
    y = select(exponent_out >= 255, F::infinity(), set_exponent(y, exponent_out));
    y = select(is_zero_bits(base) & negative(pow), F::nan(), y);
    return detail::power_sign(y, base, pow);
}

template <bool Wide, class F>
TS_LANE F power(F base, F pow) {
    if constexpr (Wide) return power_wide(base, pow);
    return power_narrow(base, pow);
}

// base^pow for one number `pow`.
template <bool Wide, class F>
TS_LANE F unary_power(F base, float pow) {
    const F p(pow);
    F y;
    if constexpr (Wide) {
        const auto q = detail::power_exponent(base, p, 1.003f, 0.244f, 1.4426950408889634f);
        F s = q.high + q.low;
        const F e = q.low - (s - q.high);
        s = maximum(s, F(-0x7e.ffff8p0f));
        const Rounded<F> k = round_by_magic(s);
        const F f = (s - k.value) + e;
        const F r = f * F(0.693359375f) + f * F(-2.12194440e-4f);
        const F series =
            horner(r, 1.0f, 1.0f, 0.5f, 1.0f / 6.0f, 1.0f / 24.0f, 1.0f / 120.0f, 1.0f / 720.0f, 1.0f / 5040.0f);
        y = set_exponent(series, biased_exponent(series) + k.integer);
        y = select(s >= F(128.0f), F::infinity(), y);
    } else {
        y = detail::power_magnitude_narrow(base, p, 1.4426950408889634f);
    }
    if (pow < 0.0f) y = select(is_zero_bits(abs(base)), F::nan(), y);
    y = detail::power_sign(y, base, p);
    return narrow<Wide>(y);
}

template <class F>
TS_LANE F whole_power(F x, uint32_t n) {
    if (n == 0) return F(1.0f);
    F y = x;
    for (uint32_t left = n - 1; left > 0; left >>= 1) {
        if (left & 1) y = y * x;
        x = x * x;
    }
    return y;
}
}  // namespace ts::sfpu
