// Comparisons of two numbers, as one or zero.
#pragma once
#include "ts/sfpu/simple.h"

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
TS_LANE F compare_floats(F a, F b) { return select(compare_mask<C>(a, b), F(1.0f), F(0.0f)); }
}  // namespace ts::sfpu
