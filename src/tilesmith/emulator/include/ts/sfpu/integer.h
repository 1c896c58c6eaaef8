// Integer functions: rectifiers, clamps, extremes, products, quotients and bits.
#pragma once
#include "ts/sfpu/lanes.h"

namespace ts::sfpu {
template <bool Unsigned>
TS_LANE Mask less(Int a, Int b) {
    if constexpr (Unsigned) return unsigned_less(a, b);
    return a < b;
}
template <bool Unsigned> TS_LANE Int integer_min(Int a, Int b) { return select(less<Unsigned>(b, a), b, a); }
template <bool Unsigned> TS_LANE Int integer_max(Int a, Int b) { return select(less<Unsigned>(a, b), b, a); }

// relu_max clamps to [0, limit], relu_min to [limit, inf).
template <bool Unsigned, bool UpperLimit>
TS_LANE Int relu_of_integers(Int x, uint32_t limit) {
    if constexpr (UpperLimit) {
        if constexpr (Unsigned) return integer_min<true>(x, limit);
        if (static_cast<int32_t>(limit) < 0) return 0;
        return integer_min<false>(integer_max<false>(x, 0), limit);
    }
    return integer_max<Unsigned>(x, limit);
}
}  // namespace ts::sfpu
