// Exponentials: base e, base 2, and e^x - 1, in the precisions the chip offers.
#pragma once
#include "ts/sfpu/instructions.h"

namespace ts::sfpu {
namespace detail {
// 2^(z - 127) for a biased exponent z with fraction: the integer part becomes the exponent, a quadratic the rest.
template <class F>
TS_LANE F power_of_two(F z, float c0, float c1, float c2) {
    const F whole = F::from_bits(shift(significand(z), exponent(z)));
    const F part = from_sign_magnitude<F>(fraction(whole));
    return copy_exponent(horner(part, c0, c1, c2), whole);
}
inline constexpr float one_over_ln2 = 1.4426950216293334961f;
}  // namespace detail

// Accurate to bfloat16, not rounded to it.
template <class F>
TS_LANE F exp_to_bf16(F x) {
    const F z = clamp(x * F(detail::one_over_ln2) + 127.0f, F(0.0f), F(255.0f));
    return detail::power_of_two(z, 1.0017248f, 7.839635491371155e-08f, 4.791750143340323e-15f);
}

// The hand-scheduled form behind exp_tile in 16-bit DST; its first coefficient is held in half precision.
template <bool ClampNegative, class F>
TS_LANE F exp_narrow(F x) {
    F z = x * F(detail::one_over_ln2) + F(127.0f);
    if constexpr (ClampNegative && !blackhole) z = maximum(z, F(0.0f));
    z = minimum(z, F(255.0f));
    F y = detail::power_of_two(z, 1.001953125f, 7.839635491371155e-08f, 4.791750143340323e-15f);
    if constexpr (blackhole) y = select(total_order(z.as_int()) > 0, y, set_exponent(y, Int(0)));
    return round_to_bf16(y);
}

template <class F>
TS_LANE F exp_wide(F a) {
    const Int n = to_smag16(F(F(1.442695f) * a));
    const F j = from_sign_magnitude<F>(n);
    F f = j * F(-6.93145752e-1f) + a;
    f = j * F(-1.42860677e-6f) + f;
    F r = horner(f, 4.99999851e-1f, 1.66664720e-1f, 4.16695364e-2f, 8.37312452e-3f, 1.37805939e-3f);
    F y = r * f + F(1.0f);
    r = y * f + F(1.0f);
    const Int e = biased_exponent(r) + swap_sign_magnitude(n);
    const F scaled = set_exponent(r, e);
    if constexpr (blackhole) {
        y = y * F::infinity();
        return select(e < 255, select(e < 1, F(0.0f), scaled), y);
    } else {
        y = F::from_bits(y.as_int() - 1) * F(0.0f);
        return select(e >= 1, select(e < 255, scaled, y + F::infinity()), y);
    }
}

template <bool Wide, class F>
TS_LANE F exp_accurate(F x) {
    if constexpr (Wide) return exp_wide(x);
    return round_to_bf16(exp_to_bf16(x));
}

// The fast form scales into the exponent field of an integer and shifts it into place. `scale` multiplies x.
template <bool ClampNegative, class F>
TS_LANE F exp_approximate(F x, float scale) {
    constexpr float per_unit = 256.0f * 1.4426950408889634f;
    const F slope(per_unit * scale);
    const F offset(32500.818359375f);
    if constexpr (ClampNegative) {
        const Int n = to_uint16(mad(slope, maximum(x, F(-88.5f / scale)), offset));
        return F::from_bits(n << 15);
    } else {
        const Int n = to_smag16(mad(slope, x, offset));
        return F::from_bits((n << 15 & 0x7fffffff) | (n & sign_bit));
    }
}

// What exp_tile does; `factor` is the scale, of the fast form or of one that asks for scaling.
template <bool Approximate, bool Scaled, bool ClampNegative, bool Wide, class F>
TS_LANE F exp_form(F x, float factor) {
    if constexpr (Approximate) return exp_approximate<ClampNegative>(x, factor);
    if constexpr (Scaled) x = x * F(factor);
    if constexpr (Wide) return exp_wide(x);
    return exp_narrow<ClampNegative>(x);
}

// A squaring scheme without set-up, used inside other functions; x is not negative.
template <class F>
TS_LANE F exp_by_squaring(F x) {
    Int e = exponent(x);
    Mask large = e >= 0;
    x = select(large, set_exponent(x, Int(126)), x);
    const F t = x * F(0.8373f) + F(as_bf16(0.863281f));
    F y = x * t + F(1.0f);
    y = select(large, y * y, y);
    for (int i = 0; i < 7; ++i) {
        e = e - 1;
        large = large & (e >= 0);
        y = select(large, y * y, y);
    }
    return y;
}

template <bool Wide, class F>
TS_LANE F exp2(F x) {
    if constexpr (!Wide) {
        const F z = clamp(x + F(127.0f), F(0.0f), F(255.0f));
        return round_to_bf16(detail::power_of_two(z, 1.0017248f, 7.839635491371155e-08f, 4.791750143340323e-15f));
    } else {
        const Int n = to_smag16(x);
        const F j = from_sign_magnitude<F>(n);
        const F f = x - j;
        F y = horner(f, 0x1.c6afd8p-5f, 0x1.3b4p-7f, 0x1.5f4p-10f, 0x1.41cp-13f);
        F r = y * f + F(0x1.ebfba0p-3f);
        y = y * F::infinity();
        r = r * f + F(0x1.62e42ep-1f);
        r = r * f + F(1.0f);
        const Int e = biased_exponent(r) + swap_sign_magnitude(n);
        const F scaled = select(e < 1, F(0.0f), set_exponent(r, e));
        return select(not_negative(abs(x)) & (e < 255), scaled, y);
    }
}

namespace detail {
// The last step of e^x - 1: too large or too small an exponent decides the result.
template <class F>
TS_LANE F expm1_tail(F r, F jm2) {
    const F beyond = select(negative(jm2), F(-0.5f), jm2 * F::infinity());
    return select(to_smag8(abs(jm2)) >= 127, beyond, r);
}
}  // namespace detail

template <bool Wide, class F>
TS_LANE F expm1(F a) {
    const F magic(12582912.0f), half(0.5f);
    F j = F(1.442695f) * a + magic;
    const Int i = j.as_int();
    j = j - magic;
    const F scale = F::from_bits((i << 23) + half.as_int());
    const Mask whole = j.as_int() != 0;
    if constexpr (!Wide) {
        const F f = j * F(-0.6931471805599453f) + a;
        F r = fused(f, 0.5f, 1.666259766e-01f, 4.177856445e-02f, 8.361816406e-03f);
        r = r * (f * f) + f;
        const F shifted = detail::expm1_tail(F(scale * r + (scale - half)), j + F(-2.0f));
        return select(whole, shifted * F(2.0f), r);
    } else {
        F f = j * F(-0.693145752f) + a;
        f = j * F(-1.42860677e-6f) + f;
        const F c0 = F::from_bits(half.as_int() - 1);
        F r = fused(f, 1.666667163e-1f, 4.166680202e-2f, 8.333439939e-3f, 1.393107930e-3f, 1.974105835e-04f);
        r = r * f + c0;
        const F jm1 = j + F(-1.0f);
        const Mask one = jm1.as_int() == 0;
        const F u = select(one, f + F(0.5f), f);
        r = r * (f * f) + u;
        const F y = scale - half;
        const F x = (scale - y) - half;
        const F jm2 = jm1 + F(-1.0f);
        const F shifted = detail::expm1_tail(F(r * scale + x) + y, jm2);
        return select(whole, select(one, r, shifted) * F(2.0f), r);
    }
}

// e^x - 1 for x <= 0 as the exponential linear units use it.
template <bool Float32Input, class F>
TS_LANE F expm1_of_negative(F x) {
    x = maximum(x, F(-87.0f));
    const F magic(12582912.0f);
    const F shifted = F(x * F(1.4426950408889634f)) + magic;
    const F k = shifted - magic;
    F r = k * F(-0.6931152343750000f) + x;
    r = r + k * F(-3.19461832987e-05f);
    F h;
    if constexpr (Float32Input) {
        h = horner(r, 1.0f, 5.0000000000e-01f, 1.6666504741e-01f, 4.1666239500e-02f, 8.3691505715e-03f,
                   1.3948583510e-03f);
    } else {
        h = horner(r, 1.0f, 4.9999371171e-01f, 1.6666433215e-01f, 4.1875664145e-02f, 8.3751315251e-03f);
    }
    h = r * h;
    const F scale = set_exponent(F(1.0f), shifted.as_int() - Int(0x4B3FFF81));
    return (scale - F(1.0f)) + scale * h;
}
}  // namespace ts::sfpu
