// The reciprocal for functions in SFPI. Its constants stand in the programmable registers: the init puts them there.
#pragma once
#include "ts/sfpi/functions.h"
#include "ts/sfpi/registers.h"

namespace ckernel::sfpu {
#ifdef ARCH_BLACKHOLE
template <bool APPROXIMATE = false, bool round_to_bf16 = false>
TS_LANE void sfpu_reciprocal_init() {
    sfpi::vConstFloatPrgm0 = 2.0f;
}

template <int max_iter>
TS_LANE sfpi::vFloat sfpu_reciprocal_iter(sfpi::vFloat x) {
    sfpi::vFloat y = sfpi::approx_recip(x);
    if constexpr (max_iter > 0) {
        // Infinity and zero make NaN of t, whose sign is positive: the table's result stays.
        sfpi::vFloat t = x * y - sfpi::vFloat(sfpi::vConstFloatPrgm0);
        if constexpr (max_iter > 1) {
            const sfpi::vFloat better = y * -t - 0.0f;
            v_if(t < 0) {
                t = x * better - sfpi::vFloat(sfpi::vConstFloatPrgm0);
                y = better * -t - 0.0f;
            }
            v_endif;
        } else {
            v_if(t < 0) { y = y * -t - 0.0f; }
            v_endif;
        }
    }
    return y;
}
#else
template <bool APPROXIMATE = false, bool round_to_bf16 = false>
TS_LANE void sfpu_reciprocal_init() {
    sfpi::vConstFloatPrgm0 = round_to_bf16 ? 0.32133400440216064453125f : 0.3232325017452239990234375f;
    sfpi::vConstFloatPrgm1 = round_to_bf16 ? 1.4514148235321044921875f : 1.4545459747314453125f;
    sfpi::vConstFloatPrgm2 = round_to_bf16 ? 2.1200883388519287109375f : 2.121212482452392578125f;
}

// A quadratic guess on the fraction, Newton steps, and the exponent apart.
template <int max_iter>
TS_LANE sfpi::vFloat sfpu_reciprocal_iter(sfpi::vFloat x) {
    const sfpi::vFloat negated = sfpi::copyman(sfpi::vFloat(-1.0f), x);
    sfpi::vFloat y = sfpi::vFloat(sfpi::vConstFloatPrgm1) + sfpi::vFloat(sfpi::vConstFloatPrgm0) * negated;
    y = sfpi::vFloat(sfpi::vConstFloatPrgm2) + y * negated;
    sfpi::vFloat scale = sfpi::setman(sfpi::as<sfpi::vFloat>(~sfpi::as<sfpi::vUInt>(x)), 0);
    scale = scale * 0.5f;
    for (int step = 0; step < (max_iter > 1 ? 2 : 1); ++step) {
        const sfpi::vFloat t = sfpi::vFloat(1.0f) + negated * y;
        y = y + y * t;
    }
    return sfpi::copysgn(sfpi::vFloat(y * scale), x);
}
#endif
}  // namespace ckernel::sfpu
