// Circular functions and their inverses.
#pragma once
#include "ts/sfpu/reciprocal.h"
#include "ts/sfpu/root.h"

namespace ts::sfpu {
inline constexpr float half_pi = 1.5707963705062866f;

namespace detail {
// Takes j whole parts of pi off x in four steps of decreasing size.
template <class F>
TS_LANE F reduce_by_pi(F x, F j, float p0, float p1, float p2, float p3) {
    F a = x + F(j * F(p0));   // the first step is short enough to be an immediate
    a = a + j * F(p1);
    a = a + j * F(p2);
    return a + j * F(p3);
}

template <bool Wide, class F>
TS_LANE F sine_of_reduced(F a, Int quadrant) {
    const F s = a * a;
    a = F::from_bits(a.as_int() ^ (quadrant << 31));
    F r;
    if constexpr (Wide) {
        r = horner(s, -0x1.55554cp-3f, 0x1.110edap-7f, -0x1.9f70fp-13f, 0x1.5dc908p-19f);
    } else {
        r = horner(s, -0x1.5554a4p-3f, 0x1.10c2a2p-7f, -0x1.8b10a4p-13f);
    }
    return narrow<Wide>(F(r * (a * s) + a));
}
}  // namespace detail

template <bool Wide, class F>
TS_LANE F sine(F x) {
    const F magic(12582912.0f);
    F j = mad(x, F(0.31830987334251404f), magic);
    const Int q = j.as_int();
    j = j - magic;
    const F a = detail::reduce_by_pi(x, j, -0x1.92p+1f, -0x1.fbp-11f, -0x1.51p-21f, -0x1.0b4612p-33f);
    return detail::sine_of_reduced<Wide>(a, q);
}

template <bool Wide, class F>
TS_LANE F cosine(F x) {
    const F magic(12582912.0f);
    F j = mad(x, F(0.31830987334251404f), F(0.5f)) + magic;
    const Int q = j.as_int();
    j = mad(F(j - magic), F(2.0f), F(-1.0f));
    const F a = detail::reduce_by_pi(x, j, -0x1.92p+0f, -0x1.fbp-12f, -0x1.51p-22f, -0x1.0b4612p-34f);
    return detail::sine_of_reduced<Wide>(a, q);
}

namespace detail {
// The reciprocal of a tangent, negated as the formulas want it, with one Newton step.
template <class F>
TS_LANE F negated_cotangent_guess(F r) {
#ifdef ARCH_BLACKHOLE
    const F t = approximate_reciprocal(r);
    const F e = mad(-r, t, F(1.0f));
    return mad(-t, e, -t);
#else
    const F negated = copy_fraction(F(-1.0f), r);
    F t = F(wide_guess.b) + F(wide_guess.a) * negated;
    t = F(wide_guess.c) + t * negated;
    const F scale = F::from_bits(~r.as_int() & int32_t(0xff800000u)) * F(0.5f);
    const F e = F(1.0f) + negated * t;
    t = t * e + t;
    return t * scale;
#endif
}
}  // namespace detail

template <bool Wide, class F>
TS_LANE F tangent(F x) {
    const F magic(12582912.0f);
    F j = mad(x, F(0.6366197466850281f), magic);
    const Mask odd = (j.as_int() & 1) != 0;
    j = j + -magic;
    const F a = detail::reduce_by_pi(x, j, -0x1.92p+0f, -0x1.fbp-12f, -0x1.51p-22f, -0x1.0b4612p-34f);
    const F s = a * a;
    F t, r;
    if constexpr (Wide) {
        t = horner(s, 0x1.555556p-2f, 0x1.111072p-3f, 0x1.ba5716p-5f, 0x1.620abcp-6f, 0x1.4787dp-7f, 0x1.2b404p-10f,
                   0x1.fa9f82p-9f);
        t = t * s;
        r = t * a + a;
        F low = mad(F(-1.0f), r, a);
        low = t * a + low;
        const F c = detail::negated_cotangent_guess(r);
        F u = r * c + F(1.0f);
        u = low * c + u;
        return select(odd, u * c + c, r);
    } else {
        t = horner(s, 0x1.55953p-2f, 0x1.02b98p-3f, 0x1.4f1f4ep-4f);
        t = t * s;
        r = t * a + a;
        return round_to_bf16(select(odd, detail::negated_cotangent_guess(r), r));
    }
}

// 1/x for positive x, from a magic guess (Wormhole) or the table (Blackhole).
template <bool Wide, class F>
TS_LANE F reciprocal_of_positive(F x) {
#ifdef ARCH_BLACKHOLE
    F y = approximate_reciprocal(x);
    F e = mad(-x, y, F(1.0f));
    y = y * e + y;
    if constexpr (Wide) {
        e = mad(-x, y, F(1.0f));
        y = y * e + y;
    }
    return y;
#else
    F y = F::from_bits(Int(0xfef392e0u) - x.as_int());
    F e = x * y + F(1.0f);
    if constexpr (Wide) {
        y = y * e + y;
        e = x * y + F(1.0f);
    }
    const F p = e * e + e;
    y = -y;
    return y * p + y;
#endif
}

template <bool Wide, class F>
TS_LANE F arctangent(F x) {
    if constexpr (Wide) {
        const F ax = without_sign(x);
        const Int e = exponent(ax);
        const F beyond = F::from_bits(ax.as_int() - 1) * F(0.0f);
        const F inverse = select(e < 26, reciprocal_of_positive<true>(ax), beyond);
        const F a = select(e >= 0, inverse, ax);
        const F s = a * a;
        const F p = fused(s, -0x1.555552p-2f, 0x1.999384p-3f, -0x1.24p-3f, 0x1.bd4p-4f, -0x1.48cp-4f, 0x1.93p-5f,
                          -0x1.4bcp-6f, 0x1.01cp-8f);
        const F r = p * (s * a) + a;
        return copy_sign(select(e >= 0, F(half_pi) - r, r), x);
    } else {
        F t = abs(x);
        const Mask far = not_negative(F(t - F(1.0f)));
        t = select(far, reciprocal<2>(t), t);
        F r = horner(F(t * t), 0.999787867069244384765625f, -0.325808584690093994140625f, 0.1555790007114410400390625f,
                     -4.4326744973659515380859375e-2f) *
              t;
        r = copy_sign(select(far, F(half_pi) - r, r), x);
        return round_to_bf16(select(is_nan(x), F::nan(), r));
    }
}

namespace detail {
template <class F>
TS_LANE F arcsine_narrow(F x) {
    const F a = abs(x);
    const F endpoint = a - F(0.625f);
    F z = square_root_custom(F(F(F(1.0f) - a) * F(0.5f)));
    z = select(negative(endpoint), a, z);
    F r = z * horner(F(z * z), 0.999978601932525634765625f, 0.16771225631237030029296875f,
                     0.06381262838840484619140625f, 0.083148844540119171142578125f);
    r = select(not_negative(endpoint), F(half_pi) - F(2.0f) * r, r);
    return copy_sign(r, x);
}

// What the wide arc functions share: the argument of the series, and how far x is from its two ends.
template <class F>
struct ArcArgument {
    F half_distance, beyond_cutoff, z;
};
template <class F>
TS_LANE ArcArgument<F> arc_argument(F x) {
    const F a = abs(x);
    const F half = (F(1.0f) - a) * F(0.5f);
    const F t = a - F(0.5625f);
    return {half, t, select(negative(t), a, square_root_of_endpoint(half))};
}
}  // namespace detail

template <bool Wide, class F>
TS_LANE F arcsine(F x) {
    if constexpr (!Wide) {
        return round_to_bf16(select(abs(x) <= F(1.0f), detail::arcsine_narrow(x), F::nan()));
    } else {
        const auto q = detail::arc_argument(x);
        const F s = q.z * q.z;
        const F p = fused(s, 0x1.55578cp-3f, 0x1.329a74p-4f, 0x1.7dcp-5f, 0x1.364p-6f, 0x1.9e0000p-5f) * s;
        F r = mad(p, q.z, q.z);
        r = select(not_negative(q.beyond_cutoff), F(half_pi) + F(-2.0f) * r, r);
        return select(negative(q.half_distance), F::nan(), copy_sign(r, x));
    }
}

template <bool Wide, class F>
TS_LANE F arccosine(F x) {
    if constexpr (!Wide) {
        return round_to_bf16(select(abs(x) <= F(1.0f), F(half_pi) - detail::arcsine_narrow(x), F::nan()));
    } else {
        const auto q = detail::arc_argument(x);
        const F s = q.z * q.z;
        const F p = fused(s, 0x1.555552p-3f, 0x1.33411ep-4f, 0x1.6acp-5f, 0x1.158p-5f, 0x1.ca0000p-8f, 0x1.830p-5f) * s;
        const F z = copy_sign(q.z, F::from_bits(x.as_int() ^ q.beyond_cutoff.as_int()));
        F r = mad(p, z, z);
        r = select((z.as_int() | q.beyond_cutoff.as_int()) < 0, r + F(half_pi), r);
        r = select(not_negative(q.beyond_cutoff), r + r, r);
        return select(negative(q.half_distance), F::nan(), r);
    }
}
}  // namespace ts::sfpu
