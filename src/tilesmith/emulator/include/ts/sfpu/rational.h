// Quotients of polynomials: the error function and its complement.
#pragma once
#include "ts/sfpu/reciprocal.h"

namespace ts::sfpu {
template <bool Approximate, class F>
TS_LANE F reciprocal_of_denominator(F x) {
    if constexpr (Approximate) return reciprocal<0>(x);
    return reciprocal<2>(x);
}

// Odd numerator over even denominator in x, without the final division.
template <class F> struct Fraction {
    F numerator, denominator;
};

template <class F>
TS_LANE Fraction<F> erf_fraction(F x) {
    const F s = x * x;
    const F n = horner(s, 1.1280932447e+00f, 2.7609212279e-01f, 4.5400281738e-02f, 7.4481184425e-04f);
    const F d = horner(s, 1.0f, 5.7439188334e-01f, 1.3675764810e-01f, 8.2844606784e-03f, 2.4813862145e-05f);
    return {n * x, d};
}
template <class F>
TS_LANE Fraction<F> erf_fraction_wide(F x) {
    const F s = x * x;
    const F n = horner(s, 1.1283791065e+00f, 2.1477432549e-01f, 6.2133435160e-02f, 5.6230435148e-03f, 6.1307044234e-04f,
                       1.7678321456e-05f, 2.7384647439e-08f, -2.8632063387e-10f);
    const F d = horner(s, 1.0f, 5.2367275953e-01f, 1.2961706519e-01f, 1.9642570987e-02f, 1.9545555115e-03f,
                       1.3179056987e-04f, 1.3156344494e-06f, -3.5153888689e-09f, -6.7350725691e-12f);
    return {n * x, d};
}

template <bool Approximate, bool Float32Input, class F>
TS_LANE F erf(F x) {
    x = copy_sign(minimum(abs(x), F(10.0f)), x);
    Fraction<F> q;
    if constexpr (Float32Input) {
        q = erf_fraction_wide(x);
    } else {
        q = erf_fraction(x);
    }
    return clamp(F(q.numerator * reciprocal_of_denominator<Approximate>(q.denominator)), F(-1.0f), F(1.0f));
}

template <class F>
TS_LANE F erfc(F x) {
    const F a = minimum(abs(x), F(5.0f));
    const Mask far = a >= F(2.5f);
    const F near_n =
        horner(a, 1.0000233650e+00f, -1.3375675678e+00f, 6.8185544014e-01f, -1.5691982210e-01f, 1.3746744953e-02f);
    const F near_d = horner(a, 1.0f, -2.0801517367e-01f, 4.3667086959e-01f, -3.4568668343e-03f, 2.5104774162e-02f,
                            2.8375532478e-02f);
    const F far_n =
        horner(a, -2.5655237550e-05f, 2.1275576728e-05f, -6.6162156145e-06f, 9.1439767402e-07f, -4.7387182178e-08f);
    const F far_d = horner(a, 1.0f, -1.6457208991e-01f, -2.0572184026e-01f, -1.3888636231e-01f, 1.2677097321e-01f,
                           -2.1375391632e-02f);
    const F r = select(far, far_n, near_n) * reciprocal_of_denominator<true>(select(far, far_d, near_d));
    return select(negative(x), F(2.0f) - r, r);
}
}  // namespace ts::sfpu
