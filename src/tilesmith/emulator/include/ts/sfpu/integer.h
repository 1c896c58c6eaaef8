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

// Lane by lane, for what vectors have no instruction for.
template <class Op>
TS_LANE Int each_lane(Int a, Int b, Op op) {
    Ints out = Ints{};
    for (int i = 0; i < lane_count; ++i) out[i] = op(a.v[i], b.v[i]);
    return out;
}

namespace detail {
constexpr uint32_t magnitude(int32_t a) { return a < 0 ? 0u - static_cast<uint32_t>(a) : static_cast<uint32_t>(a); }

constexpr int32_t quotient(int32_t a, int32_t b, bool floor) {
    if (b == 0) return a < 0 ? 1 : -1;
    const uint32_t q = magnitude(a) / magnitude(b), r = magnitude(a) % magnitude(b);
    if ((a ^ b) >= 0) return static_cast<int32_t>(q);
    return static_cast<int32_t>(0u - q - (floor && r != 0 ? 1u : 0u));
}
constexpr int32_t modulus(int32_t a, int32_t b, bool of_divisor) {
    if (b == 0) return a;
    const int32_t r = static_cast<int32_t>(magnitude(a) % magnitude(b));
    const int32_t signed_r = a < 0 ? -r : r;
    return of_divisor && r != 0 && (a ^ b) < 0 ? signed_r + b : signed_r;
}
constexpr uint32_t greatest_divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        const uint32_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}
}  // namespace detail

TS_LANE Int divide_floor(Int a, Int b) {
    return each_lane(a, b, [](int32_t x, int32_t y) TS_OP { return detail::quotient(x, y, true); });
}
TS_LANE Int divide_truncated(Int a, Int b) {
    return each_lane(a, b, [](int32_t x, int32_t y) TS_OP { return detail::quotient(x, y, false); });
}
TS_LANE Int fmod_of_integers(Int a, Int b) {
    return each_lane(a, b, [](int32_t x, int32_t y) TS_OP { return detail::modulus(x, y, false); });
}
TS_LANE Int remainder_of_integers(Int a, Int b) {
    return each_lane(a, b, [](int32_t x, int32_t y) TS_OP { return detail::modulus(x, y, true); });
}
TS_LANE Int remainder_of_unsigned(Int a, Int b) {
    return each_lane(a, b, [](int32_t x, int32_t y) TS_OP {
        return y == 0 ? x : static_cast<int32_t>(static_cast<uint32_t>(x) % static_cast<uint32_t>(y));
    });
}
TS_LANE Int gcd(Int a, Int b) {
    return each_lane(a, b, [](int32_t x, int32_t y) TS_OP {
        return static_cast<int32_t>(detail::greatest_divisor(detail::magnitude(x), detail::magnitude(y)));
    });
}
TS_LANE Int lcm(Int a, Int b) {
    return each_lane(a, b, [](int32_t x, int32_t y) TS_OP {
        const uint32_t d = detail::greatest_divisor(detail::magnitude(x), detail::magnitude(y));
        return d == 0 ? 0 : static_cast<int32_t>(detail::magnitude(x) / d * detail::magnitude(y));
    });
}

// Shifts by the other tile's lanes; amounts outside 0..31 give zero.
TS_LANE Int shift_left(Int a, Int by) {
    return select((by < 0) | (by >= 32), Int(0), shift(a, by));
}
TS_LANE Int shift_right_logical(Int a, Int by) { return select((by < 0) | (by >= 32), Int(0), shift(a, -by)); }
TS_LANE Int shift_right(Int a, Int by) {
    const Int ones = select((a < 0) & (by != 0), shift(Int(-1), Int(32) - by), Int(0));
    return select((by < 0) | (by >= 32), Int(0), shift(a, -by) | ones);
}

// The low sixteen bits, where the tile holds 16-bit integers.
template <bool Short>
TS_LANE Int keep_width(Int a) { return Short ? a & 0xffff : a; }
}  // namespace ts::sfpu
