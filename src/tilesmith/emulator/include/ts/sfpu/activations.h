// Activation functions beyond the sigmoid and Gaussian families.
#pragma once
#include "ts/sfpu/exponential.h"
#include "ts/sfpu/sigmoid.h"
#include "ts/sfpu/simple.h"

namespace ts::sfpu {
#ifdef INP_FLOAT32
inline constexpr bool input_is_float32 = true;
#else
inline constexpr bool input_is_float32 = false;
#endif

template <class F>
TS_LANE F hardsigmoid(F x) { return relu_max(F(x * F(0.1666666716337204f) + F(0.5f)), F(1.0f)); }

template <bool Approximate, class F>
TS_LANE F softsign(F x) {
    return x * reciprocal<Approximate ? 0 : 2>(F(abs(x) + F(1.0f)));
}

template <class F> TS_LANE F softshrink(F x, F limit) {
    if constexpr (blackhole) return select(x > limit, x - limit, select(x < -limit, x + limit, F(0.0f)));
    return x - clamp(x, -limit, limit);
}
template <class F> TS_LANE F hardshrink(F x, F limit) { return select(without_sign(x) <= limit, F(0.0f), x); }
template <class F> TS_LANE F hardmish(F x) { return x * clamp(F(x * F(0.5f) + F(1.0f)), F(0.0f), F(1.0f)); }

template <bool Wide, class F>
TS_LANE F elu(F x, F alpha) {
    const F below = alpha * expm1_of_negative<input_is_float32>(x);
    return narrow<Wide>(select(not_negative(x), x, below));
}
template <bool Wide, class F>
TS_LANE F celu(F x, F alpha, F inverse) {
    const F below = alpha * expm1_of_negative<input_is_float32>(F(inverse * x));
    return narrow<Wide>(select(not_negative(x), x, below));
}
template <bool Wide, class F>
TS_LANE F selu(F x, F scale, F scale_alpha) {
    const F below = scale_alpha * expm1_of_negative<input_is_float32>(x);
    return narrow<Wide>(select(not_negative(x), scale * x, below));
}

namespace detail {
// e^x for x <= 0 by splitting off powers of two; results below the smallest number are zero.
template <class F, class... Coefficients>
TS_LANE F exp_by_split(F x, F z, Coefficients... c) {
    const Rounded<F> k = round_by_magic(z);
    F r = k.value * F(-0.6931152343750000f) + x;
    r = k.value * F(-3.19461832987e-05f) + r;
    const F p = horner(r, c...);
    const Int e = biased_exponent(p) + k.integer;
    return select(e > 0, set_exponent(p, e), F(0.0f));
}
}  // namespace detail

template <bool Wide, class F>
TS_LANE F softplus(F x, F beta, F inverse_beta, F threshold) {
    const F t = beta * x;
    const F a = without_sign(t);
    const Mask far = a > F(5.0f);
    F rest;
    if constexpr (input_is_float32) {
        rest = horner(a, 6.9310557842e-01f, -4.9926245213e-01f, 1.2186349183e-01f, 5.6753782555e-03f,
                      -1.0528374463e-02f, 2.7290175203e-03f, -3.4358495031e-04f, 2.1285692128e-05f, -4.8245715334e-07f);
        const F minus = with_sign(a);
        const F e = detail::exp_by_split(minus, F(minus * F(1.4426950408889634f)), 1.0f, 1.0f, 0.5f, 0.166666667f,
                                         0.0416666667f, 0.00833333333f, 0.00138888889f, 0.000198412698f);
        rest = select(far, e * (F(1.0f) + e * (e * F(0.333333343f) + -0.5f)), rest);
    } else {
        rest = horner(a, 6.9423984729e-01f, -5.0932420424e-01f, 1.4279095486e-01f, -1.3000584069e-02f,
                      -1.8627923291e-03f, 5.0152968088e-04f, -3.1273466851e-05f);
        rest = select(far, F(0.0f), rest);
    }
    const F soft = narrow<Wide>(F(inverse_beta * (maximum(t, F(0.0f)) + rest)));
    return select(t < threshold, soft, x);
}

template <bool Approximate, bool Wide, class F>
TS_LANE F mish(F x) {
    F u;
    if constexpr (Approximate) {
        u = narrow<Wide>(exp_to_bf16(x));
    } else {
        u = exp_accurate<Wide>(x);
    }
    const F numerator = u * (u + F(2.0f));
    const F one_more = u + F(1.0f);
    const F inverse = reciprocal<Approximate ? 0 : Wide ? 2 : 1>(F(one_more * one_more + F(1.0f)));
    F share = numerator * inverse;
    if constexpr (blackhole) share = select(not_negative(x), F(1.0f) - F(2.0f) * inverse, share);
    return narrow<Wide>(select(x < F(8.0f), x * share, x));
}

template <bool Wide, class F>
TS_LANE F xielu(F x, F alpha_p, F alpha_n) {
    const F half = F(0.5f) * x;
    const F rising = F(alpha_p * x) * x + half;
    const F tiny = F(-0.0000009999995427f) - x;
    const F small = F(x * x) * horner(x, 0.500000059604644775390625f, 0.16666667163372039794921875f,
                                      4.16650883853435516357421875e-2f, 8.333188481628894805908203125e-3f,
                                      1.400390756316483020782470703125e-3f, 1.99588379473425447940826416015625e-4f);
    const F z = maximum(F(x * F(1.4426950408889634f)), F(-126.5f));
    const F e = detail::exp_by_split(x, z, 1.0f, 1.0f, 0.5f, 1.0f / 6.0f, 1.0f / 24.0f, 1.0f / 120.0f, 1.0f / 720.0f,
                                     1.0f / 5040.0f);
    const F large = (e - F(1.0f)) - x;
    const F term = select(x >= F(-1e-6f), tiny, select(x > F(-0.5f), small, large));
    return narrow<Wide>(select(positive(x), rising, alpha_n * term + half));
}

template <bool Wide, class F>
TS_LANE F tanhshrink(F x) {
    const F a = without_sign(x);
    const F u = x * x;
    F near, far;
    if constexpr (Wide) {
        near = horner(u, 3.3333331347e-01f, -1.3333128393e-01f, 5.3934831172e-02f, -2.1660288796e-02f,
                      8.2192532718e-03f, -2.5107525289e-03f, 4.2079269770e-04f);
        const F e = exp_wide(F(F(-2.0f) * minimum(a, F(9.0f))));
        const F s = reciprocal<blackhole ? 2 : 1>(F(F(1.0f) + e));
        far = copy_sign(F(a - (F(2.0f) * s - F(1.0f))), x);
    } else {
        near = horner(u, 3.3329936862e-01f, -1.3223160803e-01f, 4.8076551408e-02f, -1.0762925260e-02f);
        const F p = horner(a, 6.1829000893e-02f, 1.0561303143e+00f, -4.0859283753e-01f, 5.3348409333e-02f);
        far = x - copy_sign(minimum(p, F(1.0f)), x);
    }
    return narrow<Wide>(select(a > F(1.0f), far, F(x * u) * near));
}

template <bool Wide, class F>
TS_LANE F tanh_derivative(F x) {
    const F a = abs(x);
    const F t = F(a * a) * F(2.0f / 9.0f) + F(-1.0f);
    const F core = horner(t, 5.58971869398334972323e-02f, -1.15151201975556879975e-01f, 1.41578556434459129632e-01f,
                          -1.40162303416289407698e-01f, 1.47692044971667296727e-01f, -1.43049915574319674860e-01f,
                          3.59505515570256450886e-02f, 5.00465512420113917136e-02f, 6.00316523798012785518e-02f,
                          -1.46346136132160548060e-01f, 6.33840343077387569082e-02f);
    const F y = F(a * F(-2.0f)) + F(1.3862943611198906f);
    const F z = y * F(1.4426950408889634f);
    const F tail = detail::exp_by_split(y, z, 1.0f, 1.0f, 0.5f, 0.166666667f, 0.0416666667f);
    return narrow<Wide>(select(a < F(3.0f), core, select(a < F(45.0f), tail, F(0.0f))));
}

template <class F>
TS_LANE F logsigmoid(F x, F exp_of_minus_x) {
    const F y = -x;
    const F middle = -horner(y, 0.6924354434013367f, 0.49275708198547363f, 0.12142381817102432f, 0.0031102809589356184f,
                             -0.00330807245336473f, -0.00028794066747650504f, 5.3185409342404455e-05f,
                             7.1853546614875086e-06f, 7.4961114648886e-08f);
    return select(y < F(-4.0f), -exp_of_minus_x, select(y < F(4.0f), middle, x));
}

template <class F>
TS_LANE F softcap(F x, F beta, F inverse) { return tanh_narrow(F(x * inverse)) * beta; }

template <bool Wide, class F>
TS_LANE F clamped_silu_glu(F gate, F up) {
    gate = minimum(gate, F(10.0f));
    up = clamp(up, F(-10.0f), F(10.0f));
    return narrow<Wide>(F(F(gate * sigmoid_unrounded<Wide>(gate)) * up));
}
template <bool Wide, class F>
TS_LANE F situ_glu(F gate, F up) {
    const F left = softcap(gate, F(4.0f), F(0.25f)) * sigmoid_unrounded<Wide>(gate);
    return narrow<Wide>(F(left * softcap(up, F(25.0f), F(0.04f))));
}

template <class F>
TS_LANE F heaviside(F x, F at_zero) {
    return select(negative(x), F(0.0f), select(positive(x), F(1.0f), at_zero));
}
}  // namespace ts::sfpu
