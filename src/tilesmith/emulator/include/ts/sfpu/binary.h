// Functions of two or three tiles of floats.
#pragma once
#include "ts/sfpu/exponential.h"
#include "ts/sfpu/logarithm.h"
#include "ts/sfpu/reciprocal.h"
#include "ts/sfpu/simple.h"
#include "ts/sfpu/trigonometry.h"

namespace ts::sfpu {
// Comparisons that know NaN and both zeros.
template <Compare C, class F>
TS_LANE F compare_ordered(F a, F b) {
    const Int ma = a.as_int() & 0x7fffffff, mb = b.as_int() & 0x7fffffff;
    const Mask zeros = ((ma & 0x7f800000) == 0) & ((mb & 0x7f800000) == 0);
    const Mask unordered = (ma > 0x7f800000) | (mb > 0x7f800000);
    const Int x = total_order(a.as_int()), y = total_order(b.as_int());
    Mask m;
    if constexpr (C == Compare::eq) m = ((x == y) | zeros) & !unordered;
    if constexpr (C == Compare::ne) m = !(((x == y) | zeros) & !unordered);
    if constexpr (C == Compare::lt) m = (x < y) & !zeros & !unordered;
    if constexpr (C == Compare::gt) m = (x > y) & !zeros & !unordered;
    if constexpr (C == Compare::le) m = ((x <= y) | zeros) & !unordered;
    if constexpr (C == Compare::ge) m = ((x >= y) | zeros) & !unordered;
    return select(m, F(1.0f), F(0.0f));
}

template <bool Approximate, bool Wide, class F>
TS_LANE F arctangent_of_two(F y, F x) {
    constexpr bool rough = !Wide || Approximate;
    const F ax = without_sign(x), ay = without_sign(y);
    const F small = minimum(ax, ay), large = maximum(ax, ay);
    const F a = small * reciprocal<rough ? 0 : 2>(large);
    const F s = a * a;
    F q;
    if constexpr (Wide) {
        q = fused(s, -0x1.555558p-2f, 0x1.99938ap-3f, -0x1.24p-3f, 0x1.bd4p-4f, -0x1.48cp-4f, 0x1.93p-5f, -0x1.4bcp-6f,
                  0x1.01cp-8f);
    } else {
        q = fused(s, -0x1.54p-2f, 0x1.668p-3f, -0x1.de8p-5f);
    }
    const F right(0x1.921fb6p+0f);
    F r = F(q * s) * a + a;
    const F diagonal = select(is_zero_bits(small), F(0.0f), add_exponent(right, -1));
    const F steep = select(small.as_int() >= large.as_int(), diagonal, right - r);
    r = select(small.as_int() >= ax.as_int(), steep, r);
    r = select(negative(x), add_exponent(right, 1) - r, r);
    r = copy_sign(narrow<Wide>(r), y);
    return select(large.as_int() > 0x7f800000, F::nan(), r);
}

// The logarithm works in DST: what it is given and what it makes pass through it.
template <bool Wide, class F>
TS_LANE F xlogy(F x, F y) {
    const F r = through_dst<Wide>(log_by_cubic(through_dst<Wide>(y), log_of_xlogy)) * x;
    return select(negative(y), F::nan(), r);
}

template <bool EqualNan, class F>
TS_LANE F isclose(F a, F b, F rtol, F atol) {
    const Int ma = a.as_int() & 0x7fffffff, mb = b.as_int() & 0x7fffffff, inf(0x7f800000);
    const F tolerance = atol + rtol * abs(b);
    const F near = select(abs(F(a - b)) <= tolerance, F(1.0f), F(0.0f));
    Mask odd_equal = (ma == inf) & (a.as_int() == b.as_int());
    if constexpr (EqualNan) odd_equal = odd_equal | ((ma > inf) & (mb > inf));
    return select((ma >= inf) | (mb >= inf), select(odd_equal, F(1.0f), F(0.0f)), near);
}

template <int Step, class F>
TS_LANE F nextafter(F a, F b) {
    const Int i = a.as_int();
    const Mask up = a<b, down = a> b;
    Int step = select(up & not_negative(a), Int(Step), Int(0));
    step = select(up & negative(a), Int(-Step), step);
    step = select(down & positive(a), Int(-Step), step);
    step = select(down & !positive(a), Int(Step), step);
    const Mask zero = (i & 0x7fffffff) == 0, other_zero = (b.as_int() & 0x7fffffff) == 0;
    F r = F::from_bits(i + step);
    r = select(zero & positive(b), F::from_bits(Int(Step)), r);
    r = select(zero & negative(b), F::from_bits(Int(Step) | sign_bit), r);
    r = select(zero & other_zero, b, r);
    return select(is_nan(a) | is_nan(b), F::nan(), r);
}

namespace detail {
template <class F> struct MaximumAndGap {
    F maximum, gap;
};
template <class F>
TS_LANE MaximumAndGap<F> maximum_and_gap(F a, F b) {
    const F gap = abs(F(a - b));
    const Mask odd = is_nan(gap);
    return {select(odd, a + b, maximum(a, b)), select(odd, F(0.0f), gap)};
}
template <class F>
TS_LANE F log1p_of_unit(F y) {
    const F r = fused(y, -0x1.f48448p-2f, 0x1.074d5ap-2f, -0x1.3402cep-4f);
    return r * F(y * y) + y;
}
}  // namespace detail

template <bool Wide, class F>
TS_LANE F logaddexp(F a, F b) {
    const auto q = detail::maximum_and_gap(a, b);
    if constexpr (Wide) return q.maximum + log1p<true>(exp_wide(-q.gap));
    const F z = -minimum(q.gap, F(88.0f)) * F(detail::one_over_ln2) + 127.0f;
    const F e = round_to_bf16(detail::power_of_two(z, 1.0017248f, 7.839635491371155e-08f, 4.791750143340323e-15f));
    return round_to_bf16(F(q.maximum + detail::log1p_of_unit(e)));
}
template <bool Wide, class F>
TS_LANE F logaddexp2(F a, F b) {
    const auto q = detail::maximum_and_gap(a, b);
    const F log2e(1.442695041f);
    if constexpr (Wide) return q.maximum + log1p<true>(exp_wide(F(q.gap * F(-0.693147182f)))) * log2e;
    return round_to_bf16(F(q.maximum + detail::log1p_of_unit(exp2<false>(-q.gap)) * log2e));
}

// The rounding of ternary functions in 16-bit DST: even, by integer arithmetic.
template <bool Wide, class F> TS_LANE F narrow_even(F x) {
    if constexpr (Wide) return x;
    return round_to_bf16_even(x);
}
template <bool Wide, class F>
TS_LANE F addcdiv(F a, F b, F c, F value) {
    return narrow_even<Wide>(F(a + F(b * value) * reciprocal<2>(c)));
}
template <bool Wide, class F>
TS_LANE F addcmul(F a, F b, F c, F value) { return narrow<Wide>(F(F(value * b) * c + a)); }
template <bool Wide, class F>
TS_LANE F lerp(F a, F b, F weight) { return narrow_even<Wide>(F(a + weight * (b - a))); }

template <bool Wide, class F>
TS_LANE F snake_beta(F x, F alpha, F beta) {
    const F turns = F(alpha * x) * F(0.318309886183791f);
    const F whole = from_sign_magnitude<F>(to_smag16(turns));
    const F a = (turns - whole) * F(3.141592653589793f);
    const F s = a * a;
    F p;
    if constexpr (Wide) {
        p = horner(s, -0x1.55554cp-3f, 0x1.110edap-7f, -0x1.9f70fp-13f, 0x1.5dc908p-19f);
    } else {
        p = horner(s, -0x1.5554a4p-3f, 0x1.10c2a2p-7f, -0x1.8b10a4p-13f);
    }
    const F sine = F(a * s) * p + a;
    return narrow<Wide>(F(x + F(sine * sine) * reciprocal<Wide ? 2 : 1>(beta)));
}
}  // namespace ts::sfpu
