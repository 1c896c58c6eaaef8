// Logarithms: the exponent is split off at 3/4, a polynomial takes the rest.
#pragma once
#include "ts/sfpu/instructions.h"

namespace ts::sfpu {
namespace detail {
inline constexpr float ln2_per_exponent_bit = 0.693147182f * 1.19209290e-7f;

template <bool Wide, bool HalfFused, class F>
TS_LANE F log_series(F m) {
    const F s = m * m;
    F r;
    if constexpr (Wide) {
        r = horner(m, 0x1.555572p-2f, -0x1.00001ap-2f, 0x1.998p-3f, -0x1.55p-3f, 0x1.274p-3f, -0x1.0c4p-3f, 0x1.b84p-4f,
                   -0x1.92cp-5f);
        r = HalfFused ? mad(r, m, F(-0.5f)) : r * m + -0.5f;
    } else {
        r = fused(m, -0x1.008p-1f, 0x1.744p-2f, -0.25f);
    }
    return r * s + m;
}

TS_LANE Int exponent_from_three_quarters(Int a) { return (a - Int(0x3f400000)) & int32_t(0xff800000u); }

template <class F>
TS_LANE F float_of_exponent_bits(Int e) {
    const F magnitude = from_sign_magnitude<F>(integer_abs(e));
    return F::from_bits((magnitude.as_int() & 0x7fffffff) | (e & sign_bit));
}
}  // namespace detail

enum class LogBase { natural, scaled, two };

// `scale` is 1 / ln(base), used unless the base is e.
template <bool Fast, LogBase Base, bool Wide, class F>
TS_LANE F log(F a, F scale) {
    const Int e = detail::exponent_from_three_quarters(a.as_int());
    if constexpr (!Fast) a = flush(a);
    const F m = F::from_bits(a.as_int() - e) - F(1.0f);
    const F r = detail::log_series<Wide, true>(m);
    const F e_float = detail::float_of_exponent_bits<F>(e);
    F result;
    if constexpr (Base == LogBase::two) {
        result = e_float * F(1.19209290e-7f) + r * scale;
    } else {
        result = e_float * F(detail::ln2_per_exponent_bit) + r;
        if constexpr (Base == LogBase::scaled) result = result * scale;
    }
    const F lowered = add_exponent(a, -1);
    result = select(is_finite(lowered), result, result * lowered);
    return select(not_negative(a), result, F::nan());
}

template <bool Wide, class F>
TS_LANE F log1p(F a) {
    const F u = a + F(1.0f);
    const Int e = detail::exponent_from_three_quarters(u.as_int());
    F m = F::from_bits(a.as_int() - e);
    const F s = F::from_bits(F(-4.0f).as_int() - e);
    m = m + mad(F(-0.25f), s, F(-1.0f));
    F r = detail::log_series<Wide, false>(m);
    r = detail::float_of_exponent_bits<F>(e) * F(detail::ln2_per_exponent_bit) + r;
    r = select(u.as_int() >= 0x7f800000, u, r);
    return select(not_negative(u), r, F::nan());
}

// A cubic with a constant for the exponent's share: the cheap logarithm inside pow and xlogy.
struct CubicLog {
    float c3, c2, c1, c0, ln2;
};
inline constexpr CubicLog log_of_xlogy{0.1058f, -0.7166f, 2.0871f, -1.4753f, 0.692871f};
inline constexpr CubicLog log_of_power{0x2.44734p-4f, -0xd.e712ap-4f, 0x2.4f5388p+0f, -0x1.952992p+0f, 0.692871f};

template <class F>
TS_LANE F log_by_cubic(F x, const CubicLog& c) {
    const F m = set_exponent(x, Int(127));
    const F series = horner(m, c.c0, c.c1, c.c2, c.c3);
    const F result = from_int<F>(exponent(x)) * F(c.ln2) + series;
    return select(is_zero_bits(x), -F::infinity(), result);
}
}  // namespace ts::sfpu
