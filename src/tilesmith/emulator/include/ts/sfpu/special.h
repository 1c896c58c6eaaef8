// Special functions: Bessel, gamma family, inverse error function, cube root.
#pragma once
#include "ts/sfpu/exponential.h"
#include "ts/sfpu/logarithm.h"
#include "ts/sfpu/reciprocal.h"
#include "ts/sfpu/root.h"

namespace ts::sfpu {
template <class F>
TS_LANE F bessel_i0(F x) {
    const F s = x * x;
    return F(1.0f) + horner(s, 0.25f, 0.015625f, 0.0004340277778f, 0.000006781684028f, 6.78E-08f, 4.71E-10f, 2.40E-12f,
                            9.39E-15f, 2.90E-17f, 7.24E-20f, 1.50E-22f) *
                         s;
}

namespace detail {
template <bool Float32Input, class F>
TS_LANE F bessel_i1_far(F a, F sign) {
    F e;
    if constexpr (Float32Input) {
        e = exp_wide(a);
    } else {
        e = power_of_two(a * F(one_over_ln2) + 127.0f, 1.0017248f, 7.839635491371155e-08f, 4.791750143340323e-15f);
    }
    F y = inverse_root_guess(a, 0x5f1110a0u);
    F c = -y * F(a * y);
    y = y * (F(2.2825186f) + c * (F(2.2533049f) + c));
    c = F(1.0f) + -y * F(a * y);
    y = c * add_exponent(y, -1) + y;
    const F correction = horner(F(y * y), 3.9894228967e-01f, -1.4960495444e-01f, -4.6652925320e-02f, -4.3674591560e-02f,
                                -1.9748322314e-02f, -3.3467922914e-01f);
    return copy_sign(F(F(e * y) * correction), sign);
}
}  // namespace detail

template <bool Approximate, bool Float32Input, class F>
TS_LANE F bessel_i1(F x) {
    x = copy_sign(minimum(abs(x), F(88.5f)), x);
    const F a = abs(x);
    const F t = x * x;
    F n, d;
    if constexpr (Float32Input) {
        n = horner(t, 5.0000000000e-01f, 5.6819390506e-02f, 1.9247245509e-03f, 2.8397364076e-05f, 2.0916867527e-07f,
                   7.7937084564e-10f, 1.2293555930e-12f);
        d = horner(t, 1.0f, -1.1361218989e-02f, 6.1268139689e-05f, -1.9771712800e-07f, 3.8127551116e-10f,
                   -3.1218170410e-13f, -3.0635529988e-16f, 7.4301498523e-19f);
    } else {
        n = horner(t, 4.9992737740e-01f, 5.4503594600e-02f, 1.6126291630e-03f, 2.0223499130e-05f);
        d = horner(t, 1.0f, -1.6242591070e-02f, 1.0333660750e-04f, -2.5076132990e-07f);
    }
    const F near = F(n * x) * reciprocal<Approximate ? 0 : 2>(d);
    const F r = select(a > F(10.0f), detail::bessel_i1_far<Float32Input>(a, x), near);
    return narrow<Float32Input>(r);
}

template <bool Float32Input, class F>
TS_LANE F digamma(F x) {
    F n, d;
    if constexpr (Float32Input) {
        const Mask upper = x >= F(5.1005000000e+01f);
        n = horner(x, -4.2596286535e-01f, -1.2459139824e+00f, -7.0374596119e-01f, 3.5418295860e-01f, 3.9686101675e-01f,
                   1.0760356486e-01f, 1.1159370653e-02f, 4.5299832709e-04f, 6.4513715188e-06f, 2.3348954770e-08f,
                   3.3629592167e-12f);
        d = horner(x, -6.3762914866e-08f, 4.2596703768e-01f, 1.0000000000e+00f, 8.2736301422e-01f, 3.0081826448e-01f,
                   4.9985647202e-02f, 3.7117889151e-03f, 1.1463041301e-04f, 1.2610012732e-06f, 3.3732798776e-09f);
        const F n2 = horner(x, 1.3856337913e+05f, -2.7915017828e+05f, 5.5189096727e+04f, 2.6230285816e+04f,
                            2.0102400217e+03f, 5.4774037756e+01f, 6.1410588531e-01f, 2.8495312547e-03f,
                            4.9248967852e-06f, 2.2963254970e-09f, 3.8530168912e-14f);
        const F d2 =
            horner(x, -1.6724299601e+05f, 1.0000000000e+00f, 6.3677231206e+04f, 1.1013851737e+04f, 5.9383811201e+02f,
                   1.2890647910e+01f, 1.2061770104e-01f, 4.7490052009e-04f, 6.9240316615e-07f, 2.5925175628e-10f);
        n = select(upper, n2, n);
        d = select(upper, d2, d);
    } else {
        n = horner(x, -3.3767190625e+05f, -6.0287050000e+05f, 2.1532992188e+05f, 2.1398454688e+05f, 1.9496867188e+04f,
                   2.4847094727e+02f, 8.7151519954e-02f);
        d = horner(x, 1.0000000000e+00f, 3.3760150000e+05f, 4.0892268750e+05f, 9.9775718750e+04f, 5.1246479492e+03f,
                   4.1351390839e+01f);
    }
    const F rational = n * reciprocal<2>(d);
    const F inverse = reciprocal<2>(x);
    const F square = inverse * inverse;
    const F bernoulli = F(0.0833333333f) - square * F(0.0083333333f);
    F far = log_by_cubic(x, log_of_power) - F(inverse * F(0.5f));
    far = far - square * bernoulli;
    far = select(x.as_int() == 0x7f800000, F::infinity(), far);
    return select(x > F(102.0f), far, rational);
}

template <bool Wide, class F>
TS_LANE F lgamma_stirling(F x) {
    const F z = select(x < F(0.5f), F(1.0f) - x, x);
    const F body = ((z - F(0.5f)) * log_by_cubic(z, log_of_power) - z) + F(0.9189385332046727f);
    const F inverse = reciprocal<2>(z);
    const F series = F(0.0833333333f) + F(inverse * inverse) * F(-0.0027777777f);
    const F r = select((x == F(1.0f)) | (x == F(2.0f)), F(0.0f), body + inverse * series);
    return narrow<Wide>(r);
}

template <class F>
TS_LANE F lgamma_stirling_with_log(F x, F log_z) {
    const F z = select(x < F(0.5f), F(1.0f) - x, x);
    const F d1 = z - F(1.0f), d2 = z - F(2.0f);
    const F near_one = d1 * horner(d1, -0.57721566f, 0.82246703f, -0.40068563f, 0.27058081f, -0.20738555f);
    const F near_two = d2 * horner(d2, 0.42278434f, 0.32246703f, -0.06735230f, 0.02058081f, -0.00738555f);
    const F body = ((z - F(0.5f)) * log_z - z) + F(0.9189385332046727f);
    const F inverse = reciprocal<2>(z);
    const F correction = horner(F(inverse * inverse), 0.0833333333f, -0.0027777777f, 0.0007936507f, -0.0005952380f);
    const F far = body + inverse * correction;
    const F r = select(abs(d1) < F(0.25f), near_one, select(abs(d2) < F(0.25f), near_two, far));
    return select(abs(F(z - F(0.5f))) < F(0.01f), F(0.57236494f), r);
}

template <bool Wide, class F>
TS_LANE F lgamma_adjusted(F stirling, F log_sin, F x) {
    const F reflected = (F(1.1447298858f) - log_sin) - stirling;
    const F r = select(x < F(0.5f), reflected, stirling);
    if constexpr (!Wide) return round_to_bf16(r);
    return select((x.as_int() & 0x7fffffff) == 0x7f800000, F::infinity(), r);
}

template <bool Approximate, bool Wide, class F>
TS_LANE F polygamma(F x, float order, float scale) {
    constexpr int terms = 6, steps = Approximate ? 0 : Wide ? 2 : 1;
    const int n = static_cast<int>(order);
    const float n1 = n + 1, n2 = n + 2, n3 = n + 3, n4 = n + 4, n5 = n + 5;
    F sum(0.0f);
    for (int k = 0; k < terms; ++k) {
        const F inverse = reciprocal<steps>(F(x + F(float(k))));
        F power = inverse;
        for (int j = 1; j < n + 1; ++j) power = power * inverse;
        sum = sum + power;
    }
    const F inverse = reciprocal<steps>(F(x + F(float(terms))));
    F power = inverse;
    for (int j = 1; j < n; ++j) power = power * inverse;
    const F e = horner(F(inverse * inverse), 1.0f / float(n), n1 / 12.0f, -(n1 * n2 * n3) / 720.0f,
                       (n1 * n2 * n3 * n4 * n5) / 30240.0f);
    sum = sum + power * (e + F(F(0.5f) * inverse));
    return narrow<Wide>(F(sum * F(scale)));
}

template <class F>
TS_LANE F erfinv(F x) {
    const F l = log<false, LogBase::natural, false>(F(F(1.0f) - x * x), F(1.0f));
    const F t = F(-4.330746750799873f) + F(F(-0.5f) * l);
    const F inside = t * t - l * F(6.802721088435375f);
    return copy_sign(square_root_custom(F(t + square_root_custom(inside))), x);
}

template <bool Wide, class F>
TS_LANE F cube_root(F a) {
    const F third_of_256(-0x1.555556p-10f);
    const F x = abs(a);
    F f = from_sign_magnitude<F>(x.as_int());
    f = f * third_of_256 + F(1418472267.0f / 256.0f + 8388608.0f);
    F y = F::from_bits(f.as_int() << 8);
    const F c0(0x1.c09806p0f), c1(-0x1.403e6cp0f), c2(0x1.04cdb2p-1f);
    if constexpr (Wide) {
        F c = F(x * y) * F(y * y);
        y = y * (c * (c2 * c + c1) + c0);
        const F d = x * F(y * y);
        c = d * y + F(-1.0f);
        const F t = c * add_exponent(third_of_256, 8) + F(1.0f);
        return copy_sign(d, a) * F(t * t);
    } else {
        const F d = x * F(y * y);
        const F c = d * y;
        const F t = c * (c2 * c + c1) + c0;
        return round_to_bf16(F(copy_sign(d, a) * F(t * t)));
    }
}
}  // namespace ts::sfpu
