// tanh, the logistic function and what is made of them.
#pragma once
#include "ts/sfpu/exponential.h"
#include "ts/sfpu/reciprocal.h"

namespace ts::sfpu {
template <class F>
TS_LANE F tanh_wide(F x) {
    const Int n = to_uint8(F(x * F(2.0f * 1.442695f)));
    const F j = from_sign_magnitude<F>(n);
    F a = without_sign(F(x + x));
    const F f = j * F(-0.6931471805599453f) + a;
    F r = fused(f, 0.5f, 1.666667163e-1f, 4.166680202e-2f, 8.331298828e-3f, 1.393318176e-3f, 1.974105835e-04f);
    r = r * (f * f) + f;
    const F scale = set_exponent(F(0.0f), n + 126);
    const F bias = scale - F(0.5f);
    a = F::from_bits(a.as_int() - 1);
    const F x0 = r * scale + bias;
    const F saturated = a * F(0.0f) + F(1.0f);
    const F x1 = x0 + F(1.0f);
    F rcp, t, y0;
    if constexpr (blackhole) {
#ifdef ARCH_BLACKHOLE
        rcp = approximate_reciprocal(x1);
        t = mad(-x1, rcp, F(1.0f));
        rcp = rcp * t + rcp;
        y0 = x0 * rcp;
        t = mad(-x1, y0, x0);
#endif
    } else {
        rcp = F::from_bits(Int(0xfef30000u) - x1.as_int());
        t = x1 * rcp + F(1.0f);
        t = t * t + t;
        rcp = rcp * t + rcp;
        y0 = x0 * rcp;
        t = x1 * y0 + x0;
    }
    const F quotient = select(biased_exponent(x) >= 115, t * rcp + y0, x);
    return copy_sign(select(n < 61, quotient, saturated), x);
}

template <class F>
TS_LANE F tanh_narrow(F x) {
    const F r = horner(abs(x), 0.0f, 0.999004364013671875f, 3.0897438526153564453125e-2f, -0.4890659749507904052734375f,
                       0.281917631626129150390625f, -6.6649019718170166015625e-2f, 5.876733921468257904052734375e-3f);
    return copy_sign(minimum(r, F(1.0f)), x);
}

// Three segments on |x| whose coefficients have four bits of fraction.
template <class F>
TS_LANE F three_lines(F x, const Line (&lines)[3]) {
    const F a = without_sign(x);
    const Int i = a.as_int();
    const Mask first = i < 0x3f800000, second = i < 0x40000000;
    const F slope = select(first, F(lines[0].slope), select(second, F(lines[1].slope), F(lines[2].slope)));
    const F offset = select(first, F(lines[0].offset), select(second, F(lines[1].offset), F(lines[2].offset)));
    return copy_sign(F(slope * a + offset), x);
}

template <class F>
TS_LANE F tanh_approximate(F x) {
    constexpr Line lines[3] = {{0.90625f, 0.0f}, {0.09375f, 0.8125f}, {0.0f, 1.0f}};
    return three_lines(x, lines);
}

template <bool Approximate, bool Wide, class F>
TS_LANE F tanh(F x) {
    if constexpr (Approximate) return tanh_approximate(x);
    if constexpr (Wide) return tanh_wide(x);
    return round_to_bf16(tanh_narrow(x));
}

template <bool Wide, class F>
TS_LANE F sigmoid_unrounded(F x) {
    if constexpr (Wide) return reciprocal<2>(F(F(1.0f) + exp_wide(-x)));
    return reciprocal<1>(F(F(1.0f) + exp_to_bf16(-x)));
}

template <class F>
TS_LANE F sigmoid_approximate(F x) {
    constexpr Line lines[3] = {{0.2265625f, 0.0f}, {0.265625f, -0.046875f}, {0.0f, 0.5f}};
    return three_lines(x, lines) + F(0.5f);
}

template <bool Approximate, bool Wide, class F>
TS_LANE F sigmoid(F x) {
    if constexpr (Approximate) return sigmoid_approximate(x);
    return narrow<Wide>(sigmoid_unrounded<Wide>(x));
}

template <bool Wide, class F>
TS_LANE F silu(F x) { return narrow<Wide>(F(x * sigmoid_unrounded<Wide>(x))); }
}  // namespace ts::sfpu
