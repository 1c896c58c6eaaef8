// Floating-point remainders: fmod takes the dividend's sign, remainder the divisor's.
#pragma once
#include "ts/sfpu/simple.h"

namespace ts::sfpu {
namespace detail {
// |x| less whole multiples of s, by multiplying with 1/s.
template <class F>
TS_LANE F reduce_by_scalar(F x, F s, F inverse) {
    const F a = abs(x);
    const F q = a * inverse;
    const Int e = exponent(q);
    const Int cut = shift(shift(q.as_int(), e - 23), Int(23) - e);
    F whole = select(e < 0, F(0.0f), select(e < 23, F::from_bits(cut), q));
    whole = select(whole > q, whole - F(1.0f), whole);
    return subtract_product(a, whole, s);
}
template <class F>
TS_LANE F finish_reduction(F r, F s) {
    r = select(is_zero_bits(s), F::nan(), r);
    for (int i = 0; i < 10; ++i) r = select(r >= s, r - s, r);
    return select(is_zero_bits(F(abs(r) - s)), F(0.0f), r);
}
}  // namespace detail

template <class F>
TS_LANE F fmod_by_scalar(F x, F divisor, F inverse) {
    const F s = abs(divisor);
    return detail::finish_reduction(copy_sign(detail::reduce_by_scalar(x, s, abs(inverse)), x), s);
}
template <class F>
TS_LANE F remainder_by_scalar(F x, F divisor, F inverse) {
    const F s = abs(divisor);
    F r = detail::reduce_by_scalar(x, s, abs(inverse));
    r = select(negative(x) & (r.as_int() != 0), s - r, r);
    r = select(negative(divisor) & (r.as_int() != 0), r + divisor, r);
    return detail::finish_reduction(copy_sign(r, divisor), s);
}

template <bool Wide, class F>
TS_LANE F fmod(F a, F b) {
    const F magnitude = abs(b);
    F r = subtract_product(a, truncate(F(a * reciprocal<2>(b))), b);
    const F zero(0.0f);
    r = select(abs(r) >= magnitude, select(r >= zero, r - magnitude, r + magnitude), r);
    r = select(a >= zero, select(r < zero, r + magnitude, r), select(r > zero, r - magnitude, r));
    r = select(a == b, F(0.0f), r);
    return narrow<Wide>(select(b == zero, F::nan(), r));
}

template <bool Wide, class F>
TS_LANE F remainder(F a, F b) {
    F r = subtract_product(a, floor(F(a * reciprocal<2>(b))), b);
    r = select((r.as_int() != 0) & ((r.as_int() ^ b.as_int()) < 0), r + b, r);
    F less_one = r - b;
    r = select(positive(b) & positive(a) & not_negative(less_one), less_one, r);
    less_one = r - b;
    r = select(negative(b) & negative(a) & !positive(less_one), less_one, r);
    return narrow<Wide>(select(b == F(0.0f), F::nan(), r));
}
}  // namespace ts::sfpu
