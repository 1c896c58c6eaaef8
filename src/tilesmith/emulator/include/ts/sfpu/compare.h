// Comparisons of two numbers, as one or zero.
#pragma once
#include "ts/sfpu/instructions.h"
#include "ts/sfpu/integer.h"
#include "ts/sfpu/typecast.h"

namespace ts::sfpu {
TS_LANE Int truth(Mask m) { return select(m, Int(1), Int(0)); }

template <Compare C, class F>
TS_LANE Mask compare_mask(F a, F b) {
    if constexpr (C == Compare::eq) return a == b;
    if constexpr (C == Compare::ne) return a != b;
    if constexpr (C == Compare::lt) return a < b;
    if constexpr (C == Compare::gt) return a > b;
    if constexpr (C == Compare::le) return a <= b;
    return a >= b;
}
template <Compare C, class F>
TS_LANE F compare_floats(F a, F b) {
    return select(compare_mask<C>(a, b), F(1.0f), F(0.0f));
}

template <Compare C, DataFormat Format>
TS_LANE Mask compare_integers(Int a, Int b) {
    constexpr bool is_unsigned = Format != DataFormat::Int32;
    if constexpr (C == Compare::eq) return a == b;
    if constexpr (C == Compare::ne) return a != b;
    if constexpr (C == Compare::lt) return less<is_unsigned>(a, b);
    if constexpr (C == Compare::gt) return less<is_unsigned>(b, a);
    if constexpr (C == Compare::le) return !less<is_unsigned>(b, a);
    return !less<is_unsigned>(a, b);
}

// An integer as comparisons with zero read it: Wormhole takes it for a sign and a magnitude, and the least for a zero.
TS_LANE Int beside_zero(Int x) {
#ifdef ARCH_BLACKHOLE
    return x;
#else
    return select(x == sign_bit, Int(0), x);
#endif
}
}  // namespace ts::sfpu
