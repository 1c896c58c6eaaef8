// Functions of a step or two: signs, clamps, roundings, comparisons and arithmetic.
#pragma once
#include "ts/sfpu/reciprocal.h"

namespace ts::sfpu {
// To bfloat16, half to even, by integer arithmetic: infinities and NaNs are not looked at.
template <class F>
TS_LANE F round_to_bf16_even(F x) {
    const Int i = x.as_int();
    return F::from_bits((i + 0x7fff + (logical_right(i, 16) & 1)) & int32_t(0xffff0000u));
}

template <class F>
TS_LANE F sign(F x) {
    return select(negative(x), F(-1.0f), select(is_zero_bits(x), F(0.0f), F(1.0f)));
}

template <class F> TS_LANE F truncate(F x) {
    const Int e = exponent(x);
    const Int kept = select(e > 23, Int(-1), shift(Int(-1), Int(23) - e));
    return F::from_bits(x.as_int() & select(e < 0, Int(sign_bit), kept));
}
template <class F> TS_LANE F floor(F x) {
    const F t = truncate(x);
    return select(negative(x) & ((t.as_int() - x.as_int()) < 0), t + F(-1.0f), t);
}
template <class F> TS_LANE F ceil(F x) {
    const F t = truncate(x);
    return select(not_negative(x) & ((t.as_int() - x.as_int()) < 0), t + F(1.0f), t);
}
template <class F> TS_LANE F fractional(F x) { return x - truncate(x); }
template <class F> TS_LANE F round_even(F x) {
    const F r = (without_sign(x) + F(8388608.0f)) + F(-8388608.0f);
    return select(exponent(x) < 23, copy_sign(r, x), x);
}
template <class F> TS_LANE F round_decimals(F x, float up, float down) { return F(down) * round_even(F(x * F(up))); }

constexpr float power_of_ten(int n) {
    if (n > 38) return __builtin_inff();
    if (n < -45) return 0.0f;
    double p = 1.0;
    for (int i = 0; i < (n < 0 ? -n : n); ++i) p *= 10.0;
    return static_cast<float>(n < 0 ? 1.0 / p : p);
}

enum class Compare { eq, ne, lt, gt, le, ge };

// Against zero, NaN being neither equal nor ordered; both zeros are zero.
template <Compare C, class F>
TS_LANE F compare_with_zero(F x) {
    const Int magnitude = x.as_int() & 0x7fffffff;
    const Mask zero = magnitude == 0, number = magnitude <= 0x7f800000;
    Mask m;
    if constexpr (C == Compare::eq) m = zero;
    if constexpr (C == Compare::ne) m = !zero;
    if constexpr (C == Compare::lt) m = negative(x) & !zero & number;
    if constexpr (C == Compare::gt) m = not_negative(x) & !zero & number;
    if constexpr (C == Compare::le) m = (negative(x) | zero) & number;
    if constexpr (C == Compare::ge) m = (not_negative(x) | zero) & number;
    return select(m, F(1.0f), F(0.0f));
}

template <Compare C>
TS_LANE Mask compare_ints(Int a, Int b) {
    if constexpr (C == Compare::eq) return a == b;
    if constexpr (C == Compare::ne) return a != b;
    if constexpr (C == Compare::lt) return a < b;
    if constexpr (C == Compare::gt) return a > b;
    if constexpr (C == Compare::le) return a <= b;
    return a >= b;
}

// Wormhole takes the larger of the two, Blackhole compares: a negative NaN stays there.
template <class F> TS_LANE F at_least(F x, F limit) {
    if constexpr (blackhole) return select(x < limit, limit, x);
    return maximum(x, limit);
}
template <class F> TS_LANE F leaky_relu(F x, F slope) { return select(negative(x), x * slope, x); }
template <class F> TS_LANE F relu_max(F x, F limit) {
    const F r = select(x > limit, limit, x);
    return select(negative(r), F(0.0f), r);
}

template <bool Wide, class F>
TS_LANE F reverse_subtract(F x, F from) {
    const F r = from - x;
    if constexpr (Wide) return r;
    return round_to_bf16_even(r);
}

template <bool Wide, class F>
TS_LANE F multiply(F a, F b) {
    const F r = a * b;
    if constexpr (Wide) return r;
    return select(is_zero_bits(a) | is_zero_bits(b), F(0.0f), round_to_bf16_even(r));
}

template <bool Wide, class F>
TS_LANE F divide(F a, F b) {
    const F inverse = reciprocal<2>(b);
    F r = a * inverse;
    if constexpr (Wide) {
        const F residual = subtract_product(a, r, b);
        r = select(is_finite(r), r + residual * inverse, r);
    }
    const F by_zero = select(is_zero_bits(a), F::nan(), copy_sign(F::infinity(), a));
    r = select(is_zero_bits(b), by_zero, r);
    if constexpr (Wide) return r;
    return round_to_bf16_even(r);
}
}  // namespace ts::sfpu
