// The Gaussian error linear unit: exact, by tanh, by table, and its derivative.
#pragma once
#include "ts/sfpu/rational.h"
#include "ts/sfpu/sigmoid.h"

namespace ts::sfpu {
template <class F>
TS_LANE F gelu_narrow(F x) {
    const F s = x * x;
    const F z = s * F(-0.72134752044f) + 127.0f;
    const F bell = detail::power_of_two(z, 1.0017248f, 7.839635491371155e-08f, 4.791750143340323e-15f);
    const F h = bell * horner(x, 3.0369991064e-01f, 9.5413386822e-02f, 1.3809983619e-02f, 7.5950479368e-04f);
    const F tail = x * ((h + F(0.375f)) - F(0.375f));
    const F odd = horner(s, 3.9894227818e-01f, -6.6361041488e-02f, 9.7720050615e-03f, -1.0717806322e-03f,
                         8.1812159812e-05f, -3.8082057209e-06f, 7.9821413868e-08f);
    const F core = x * (x * odd + 0.5f);
    F r = select(x >= F(-3.125f), core, tail);
    r = select(x >= F(2.78125f), x, r);
    return select(x > F(-5.54259443f), r, F(0.0f));
}

template <class F>
TS_LANE F gelu_wide(F x) {
    const F scaled = minimum(F(x * F(0.7071067811865475f)), F(10.0f));
    const Fraction<F> q = erf_fraction_wide(scaled);
    const F e = clamp(F(q.numerator * reciprocal<2>(q.denominator)), F(-1.0f), F(1.0f));
    F r = x * (F(0.5f) + F(0.5f) * e);
    r = select(e == F(-1.0f), x * F(2.9802322387695313e-08f), r);
    return select(x > F(-5.54259443f), r, F(0.0f));
}

template <class F>
TS_LANE F gelu_approximate(F x) {
    constexpr Line lines[6] = {{0.1928f, -0.00010443f}, {0.4939f, -0.1604f}, {0.6188f, blackhole ? -0.2795f : -0.2796f},
                               {0.6099f, -0.2635f},     {0.5402f, -0.1194f}, {0.5f, 0.0f}};
    return x * F(0.5f) + line_table(x, lines, false);
}

template <bool Approximate, bool Wide, class F>
TS_LANE F gelu(F x) {
    if constexpr (Approximate) return gelu_approximate(x);
    if constexpr (Wide) return gelu_wide(x);
    return round_to_bf16(gelu_narrow(x));
}

template <bool Wide, class F>
TS_LANE F gelu_tanh(F x) {
    const F p = F(0.044715f) * (x * x) + F(1.0f);
    const F t = tanh_wide(F(F(0.7978845608028654f) * F(x * p)));
    const F half = F(0.5f) * x;
    return narrow<Wide>(F(half * t + half));
}

template <bool Wide, class F>
TS_LANE F gelu_tanh_fast(F x) {
    const F s = x * x;
    F z, e;
    if constexpr (blackhole) {
        z = x * (s * F(-1.0294324160e-01f) + F(-2.3022081852e+00f)) + 127.0f;
    } else {
        const F q = x * (F(0.044715f) * s + F(1.0f));
        z = q * F(-2.3022081981f) + 127.0f;
    }
    z = clamp(z, F(0.0f), F(254.0f));
    const F whole = F::from_bits(shift(significand(z), exponent(z)));
    const F part = from_sign_magnitude<F>(fraction(whole));
    F r;
#ifdef ARCH_BLACKHOLE
    e = copy_exponent(horner(part, 1.0f, 8.2622300113e-08f, 3.4278135885e-15f, 8.8508325543e-23f, 2.7117093617e-30f),
                      whole);
    const F d = e + F(1.0f);
    r = approximate_reciprocal(d);
    r = r * (2.0f - d * r);
    r = r * (2.0f - d * r);
#else
    e = copy_exponent(
        horner(part, 1.0000025517e+00f, 8.2612558619e-08f, 3.4310902370e-15f, 8.8111597259e-23f, 2.7332817452e-30f),
        whole);
    r = reciprocal<2>(F(e + F(1.0f)));
#endif
    return narrow<Wide>(F(x * r));
}

template <bool Fast, bool Wide, class F>
TS_LANE F gelu_tanh_form(F x) {
    if constexpr (Fast) return gelu_tanh_fast<Wide>(x);
    return gelu_tanh<Wide>(x);
}

namespace detail {
// x * e^t for t well below zero.
template <class F>
TS_LANE F times_exp_of_tail(F x, F t) {
    const Rounded<F> k = round_by_magic(F(t * F(1.4426950408889634f)));
    F r = k.value * F(-0.6931152343750000f) + t;
    r = k.value * F(-3.19461832987e-05f) + r;
    const F p = x * horner(r, 1.0f, 1.0f, 0.5f, 0.166666667f, 0.0416666667f, 0.00833333333f);
    const Int e = biased_exponent(p) + k.integer;
    return select(e > 0, set_exponent(p, e), F(0.0f));
}
}  // namespace detail

template <bool Approximate, bool Wide, class F>
TS_LANE F gelu_derivative(F x) {
    const F s = x * x;
    const F h = horner(s, 7.9788309336e-01f, -2.6593554020e-01f, 5.9766173363e-02f, -9.4142099842e-03f,
                       1.1061388068e-03f, -9.7448595625e-05f, 6.0921474869e-06f, -2.3764030743e-07f, 4.2734988881e-09f);
    const F core = x * h + 0.5f;
    F tail = detail::times_exp_of_tail(x, F(s * F(-0.5f))) * F(0.3989422804014327f);
    if constexpr (!Approximate) {
        const F inverse = reciprocal<Wide ? 2 : 1>(s);
        tail = tail * ((F(1.0f) - inverse) + inverse * inverse);
    }
    F r = select(x > F(-13.375f), tail, F(0.0f));
    r = select(x >= F(-3.0f), core, r);
    r = select(x >= F(3.1719f), F(1.0f), r);
    return narrow<Wide>(r);
}
}  // namespace ts::sfpu
