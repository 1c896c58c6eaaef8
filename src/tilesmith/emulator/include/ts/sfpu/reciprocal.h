// Reciprocals: a table (Blackhole) or a quadratic guess (Wormhole), then Newton steps.
#pragma once
#include "ts/sfpu/instructions.h"

namespace ts::sfpu {
// The quadratic guess: one set of constants for results rounded to bfloat16, one for all others.
struct ReciprocalGuess {
    float a, b, c;
};
inline constexpr ReciprocalGuess wide_guess{0.3232325017452239990234375f, 1.4545459747314453125f,
                                            2.121212482452392578125f};
inline constexpr ReciprocalGuess narrow_guess{0.32133400440216064453125f, 1.4514148235321044921875f,
                                              2.1200883388519287109375f};

#ifdef ARCH_BLACKHOLE
template <int Steps, bool Normalised = false, bool = false, class F>
TS_LANE F reciprocal(
    F x, const ReciprocalGuess& = wide_guess) {
    if constexpr (!F::chip) return 1.0f / x.v;
    F y = approximate_reciprocal(x);
    if constexpr (Steps > 0) {
        F t = x * y - F(2.0f);
        const Mask usable = Normalised ? Mask{~Ints{}} : negative(t);
        F y1 = mad(y, -t, F(-0.0f));
        if constexpr (Steps > 1) {
            t = x * y1 - F(2.0f);
            y1 = mad(y1, -t, F(-0.0f));
        }
        y = select(usable, y1, y);
    }
    return y;
}
#else
template <int Steps, bool Normalised = false, bool ToBf16 = false, class F>
TS_LANE F reciprocal(
    F x, const ReciprocalGuess& guess = wide_guess) {
    if constexpr (!F::chip) return 1.0f / x.v;
    const F negated = Normalised ? with_sign(x) : copy_fraction(F(-1.0f), x);
    F y = F(guess.b) + F(guess.a) * negated;
    y = F(guess.c) + y * negated;
    F t = F(1.0f) + negated * y;
    y = y + y * t;
    if constexpr (Steps > 1) {
        t = F(1.0f) + negated * y;
        y = y + y * t;
    }
    if constexpr (ToBf16) y = round_to_bf16(y);
    if constexpr (!Normalised) {
        const F scale = F::from_bits(~x.as_int() & int32_t(0xff800000u)) * F(0.5f);
        y = y * scale;
    }
    return copy_sign(y, x);
}
#endif

// What recip_tile does by default: Newton steps on the fraction, from a constant guess, and the exponent apart.
template <bool Approximate, bool Wide, class F>
TS_LANE F recip_compatible(F x) {
    if constexpr (!F::chip) return narrow < Wide || Approximate > (F(1.0f / x.v));
    const F negated = set_exponent(with_sign(x), Int(126));
    const F guess(1.442695f);
    F r = guess * (negated * guess + 2.0f);
    for (int i = 1; i < (Approximate ? 2 : 3); ++i) r = r * (negated * r + 2.0f);
    const Int e = exponent(r) - exponent(x) + 126;
    r = select(e < 0, F(0.0f), set_exponent(r, e));
    r = select(negative(x), -r, r);
    return narrow < Wide || Approximate > (r);
}

// What recip_tile does when asked for its newer form.
template <bool Approximate, bool Wide, class F>
TS_LANE F recip(F x) {
    if constexpr (!F::chip) return narrow < Wide || Approximate > (F(1.0f / x.v));
#ifdef ARCH_BLACKHOLE
    const F y = approximate_reciprocal(x);
    if constexpr (Approximate) return y;
    if constexpr (Wide) {
        const F e = mad(-x, y, F(1.0f));
        F t = mad(e, e, e);
        t = minimum(mad(t, e, e), F(1.0f));
        return mad(t, y, y);
    }
    const F guess = F::from_bits(y.as_int() | 0x8000);
    const F error = mad(x + F(0.0f), guess, F(-1.0f));
    return F::from_bits(guess.as_int() + logical_right(error.as_int(), 16));
#else
    if constexpr (Approximate) return reciprocal<0>(x);
    if constexpr (Wide) return reciprocal<2>(x);
    return reciprocal<1, false, true>(x, narrow_guess);
#endif
}
}  // namespace ts::sfpu
