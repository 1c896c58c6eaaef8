// Square roots and their reciprocals, by a magic guess and one cubic and one Newton step.
#pragma once
#include "ts/sfpu/reciprocal.h"

namespace ts::sfpu {
namespace detail {
template <class F>
TS_LANE F inverse_root_guess(F x, uint32_t magic) {
    return F::from_bits(Int(magic) - logical_right(x.as_int(), 1));
}

// rsqrt(0) is infinite and rsqrt(inf) zero: exactly what infinity minus the bits of x gives.
template <class F>
TS_LANE F inverse_root_ends(F x, F y) {
    const Int distance = Int(0x7f800000) - x.as_int();
    return select((distance != 0) & (x.as_int() != 0), y, F::from_bits(distance));
}
// Below zero there is no root, and negative zero counts as below.
template <bool Fast, class F>
TS_LANE F root_of_negative(F x, F y) {
    if constexpr (Fast) return y;
    return select(negative(x), F::nan(), y);
}
}  // namespace detail

template <bool Approximate, bool Reciprocal, bool Fast, class F>
TS_LANE F square_root(F x) {
    if constexpr (Approximate) {
        F y = detail::inverse_root_guess(x, 0x5f0b3892u);
        const F c = x * y;
        const F t = F(1.89099014875f) + -y * c;
        if constexpr (Reciprocal) return detail::root_of_negative<Fast>(x, detail::inverse_root_ends(x, F(y * t)));
        return detail::root_of_negative<Fast>(x, select(x.as_int() != 0x7f800000, c * t, c));
    } else {
        F y = detail::inverse_root_guess(x, 0x5f1110a0u);
        F xy = x * y;
        const F c = -y * xy;
        y = y * (F(2.2825186f) + c * (F(2.2533049f) + c));
        xy = x * y;
        const F error = F(1.0f) + -y * xy;
        if constexpr (Reciprocal) {
            return detail::root_of_negative<Fast>(x, detail::inverse_root_ends(x, F(error * add_exponent(y, -1) + y)));
        }
        const F half = F(0.5f) * xy;
        return detail::root_of_negative<Fast>(x, select(x.as_int() < 0x7f800000, error * half + xy, y));
    }
}

// The square root inside arc functions near their end points; x is in [0, 1/2].
template <class F>
TS_LANE F square_root_of_endpoint(F x) {
    F y = detail::inverse_root_guess(x, 0x5f1110a0u);
    F xy = x * y;
    const F c = -y * xy;
    y = y * (F(2.2825186f) + c * (F(2.2533049f) + c));
    xy = x * y;
    const F error = F(1.0f) + -y * xy;
    return error * (F(0.5f) * xy) + xy;
}

// Newton steps alone: the square root inside inverse hyperbolic functions.
template <bool Wide, class F>
TS_LANE F square_root_by_newton(F x) {
    const F half = add_exponent(x, -1);
    F y = detail::inverse_root_guess(x, 0x5f1110a0u);
    for (int i = 0; i < (Wide ? 3 : 2); ++i) y = y * (1.5f - F(half * y) * y);
    F a = x * y;
    a = a + F(F(0.5f) * (x - a * a)) * y;
    return select(is_zero_bits(x), F(0.0f), a);
}

// The square root of asin, acos and erfinv in 16-bit DST.
template <int Steps = 2, class F>
TS_LANE F square_root_custom(F x) {
    F y = F::from_bits(Int(0x5f370000) - logical_right(x.as_int(), 1));
    const F half = x * F(-0.5f);
    for (int i = 0; i < Steps; ++i) y = (F(y * y) * half + 1.5f) * y;
    return select(x.as_int() != 0, y * x, x);
}

// rsqrt_tile's older form: a root as DST would hold it, then its reciprocal.
template <bool Approximate, bool Wide, class F>
TS_LANE F inverse_root_compatible(F x) {
    F root;
    if constexpr (Approximate) {
        root = F::from_bits(logical_right(x.as_int() + 0x3f800000, 1));
    } else {
        root = square_root_custom(x);
    }
    if constexpr (!Wide) root = F::from_bits(root.as_int() & int32_t(0xffff0000u));
    return recip_compatible<Approximate, Wide>(root);
}
}  // namespace ts::sfpu
