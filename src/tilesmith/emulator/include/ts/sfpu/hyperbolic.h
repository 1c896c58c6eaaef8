// Hyperbolic functions and their inverses.
#pragma once
#include "ts/sfpu/logarithm.h"
#include "ts/sfpu/trigonometry.h"

namespace ts::sfpu {
namespace detail {
template <class F> struct SplitExponent {
    F magnitude, j;
    Int n;
};
template <class F>
TS_LANE SplitExponent<F> split_exponent(F x) {
    const Int n = to_uint8(F(x * F(1.442695f)));
    return {without_sign(x), from_sign_magnitude<F>(n), n};
}

// e^|x| / 4
template <bool Wide, class F>
TS_LANE F quarter_exp(F x) {
    const auto q = split_exponent(x);
    F f, r;
    if constexpr (!Wide) {
        f = q.j * F(-0.6931471805599453f) + q.magnitude;
        r = horner(f, 0.999963462f, 0.500122011f, 0.168174848f, 0.038877178f);
    } else {
        f = q.j * F(-0.693145752f) + q.magnitude;
        f = q.j * F(-1.42860677e-6f) + f;
        r = horner(f, 1.0f, 4.99999851e-1f, 1.66664720e-1f, 4.16695364e-2f, 8.37312452e-3f, 1.37805939e-3f);
    }
    r = r * f + F(1.0f);
    const Int e = q.n + 125;
    return select(e < 255, r * F::from_bits(e << 23), q.magnitude * F::infinity());
}

// (e^|x| - 1) / 4
template <bool Wide, class F>
TS_LANE F quarter_expm1(F x) {
    const auto q = split_exponent(x);
    F f, r;
    if constexpr (!Wide) {
        f = q.j * F(-0.6931471805599453f) + q.magnitude;
        r = fused(f, 0.5f, 1.666259766e-01f, 4.177856445e-02f, 8.361816406e-03f);
    } else {
        f = q.j * F(-0.693145752f) + q.magnitude;
        f = q.j * F(-1.42860677e-6f) + f;
        r = horner(f, 4.999999702e-1f, 1.666667163e-1f, 4.166680202e-2f, 8.333439939e-3f, 1.393107930e-3f,
                   1.974105835e-04f);
    }
    r = r * (f * f) + f;
    const F quarter(0.25f);
    const F scale = F::from_bits((q.n << 23) + quarter.as_int());
    const F bias = scale - quarter;
    return select(q.n < 130, r * scale + bias, q.magnitude * F::infinity());
}
}  // namespace detail

template <bool Wide, class F>
TS_LANE F cosh(F x) {
    const F q = detail::quarter_exp<Wide>(without_sign(x));
    const F r = reciprocal_of_positive<Wide>(q) * F(0.125f);
    const F y = q + q;
    return narrow<Wide>(select(exponent(q) < 24, y + r, y));
}

template <bool Wide, class F>
TS_LANE F sinh(F x) {
    const F q = detail::quarter_expm1<Wide>(x);
    const F r = reciprocal_of_positive<Wide>(F(F(4.0f) * q + F(1.0f)));
    const Int e = exponent(q);
    const F twice = q + q;
    const F y = select(e >= -27, select(e < 23, twice * r + twice, twice), x);
    return narrow<Wide>(copy_sign(y, x));
}

template <bool Wide, class F>
TS_LANE F acosh(F x) {
    const F huge(268435456.0f);
    F arg = x - F(1.0f);
    arg = select(x < huge, arg + square_root_by_newton<Wide>(F((x + F(1.0f)) * arg)), arg);
    F r = log1p<Wide>(through_dst<Wide>(arg));
    r = select(x >= huge, r + F(0.6931471805599453f), r);
    r = select(x == F(1.0f), F(0.0f), select(x < F(1.0f), F::nan(), r));
    return narrow<Wide>(r);
}

template <bool Wide, class F>
TS_LANE F asinh(F x) {
    const F huge(268435456.0f);
    const F a = abs(x);
    const F s = x * x;
    const F root = square_root_by_newton<Wide>(F(x * x + F(1.0f)));
    const F middle = a + s * reciprocal_of_positive<Wide>(F(F(1.0f) + root));
    const F arg = select(a >= huge, a - F(1.0f), select(a >= F(0.75f), middle, F(0.0f)));
    F r = log1p<Wide>(through_dst<Wide>(arg));
    r = select(a >= huge, r + F(0.6931471805599453f), r);
    const F p = horner(s, 1.0f, -1.666652262e-01f, 7.495806366e-02f, -4.417778924e-02f, 2.785361186e-02f,
                       -1.484858524e-02f, 4.375355784e-03f);
    r = select(a < F(0.75f), a * p, r);
    return narrow<Wide>(copy_sign(r, x));
}

template <bool Wide, class F>
TS_LANE F atanh(F x) {
    const F a = abs(x);
    const F inside = select(a >= F(1.0f), F(0.0f), a);
    const F ratio = (inside + inside) * reciprocal_of_positive<Wide>(F(F(1.0f) - inside));
    F r = copy_sign(F(F(0.5f) * log1p<Wide>(through_dst<Wide>(ratio))), x);
    r = select(a > F(1.0f), F::nan(), select(a == F(1.0f), copy_sign(F::infinity(), x), r));
    return narrow<Wide>(r);
}
}  // namespace ts::sfpu
