// Lanes of 32-bit data as the vector unit sees them: integers, masks and the bit-level view of numbers.
#pragma once
#include <cstdint>

// Vectors never cross a library boundary, so how they would be passed there is of no interest.
#pragma GCC diagnostic ignored "-Wpsabi"

// Header code that works on the emulator's own memory must not be instrumented by the checked build.
#ifndef TS_NO_CHECK
#define TS_NO_CHECK __attribute__((no_sanitize("thread")))
#endif
#define TS_LANE inline __attribute__((always_inline)) TS_NO_CHECK
// The same for a lambda, between its parameters and its body.
#define TS_OP __attribute__((always_inline, no_sanitize("thread")))

namespace ts::sfpu {
// As many lanes as fill a register of the host. Results do not depend on it.
#if defined(__AVX512F__)
inline constexpr int lane_count = 16;
#elif defined(__AVX2__)
inline constexpr int lane_count = 8;
#else
inline constexpr int lane_count = 4;
#endif
using Floats = float __attribute__((vector_size(4 * lane_count)));
using Ints = int32_t __attribute__((vector_size(4 * lane_count)));
using Words = uint32_t __attribute__((vector_size(4 * lane_count)));

template <class To, class From>
TS_LANE To bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, from);
}

struct Mask {
    Ints v;
    friend TS_LANE Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
    friend TS_LANE Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
    friend TS_LANE Mask operator!(Mask a) { return {~a.v}; }
};

template <int Part, class V>
TS_LANE auto half_of(V v) {
    if constexpr (lane_count == 16) {
        constexpr int f = Part * 8;
        return __builtin_shufflevector(v, v, f, f + 1, f + 2, f + 3, f + 4, f + 5, f + 6, f + 7);
    } else if constexpr (lane_count == 8) {
        constexpr int f = Part * 4;
        return __builtin_shufflevector(v, v, f, f + 1, f + 2, f + 3);
    } else {
        return __builtin_shufflevector(v, v, Part * 2, Part * 2 + 1);
    }
}

TS_LANE bool any(Mask m) {
    const auto folded = half_of<0>(m.v) | half_of<1>(m.v);
    uint64_t words[sizeof folded / 8], all = 0;
    __builtin_memcpy(words, &folded, sizeof folded);
    for (const uint64_t word : words) all |= word;
    return all != 0;
}

// Two's complement integers; `logical_*` treat the same bits as unsigned.
struct Int {
    Ints v;
    Int() = default;
    TS_LANE Int(Ints from) : v(from) {}
    TS_LANE Int(int32_t x) : v(x - Ints{}) {}
    TS_LANE Int(uint32_t x) : v(static_cast<int32_t>(x) - Ints{}) {}
    TS_LANE Words words() const { return bits<Words>(v); }
    friend TS_LANE Int operator+(Int a, Int b) { return bits<Ints>(a.words() + b.words()); }
    friend TS_LANE Int operator-(Int a, Int b) { return bits<Ints>(a.words() - b.words()); }
    friend TS_LANE Int operator*(Int a, Int b) { return bits<Ints>(a.words() * b.words()); }
    friend TS_LANE Int operator&(Int a, Int b) { return a.v & b.v; }
    friend TS_LANE Int operator|(Int a, Int b) { return a.v | b.v; }
    friend TS_LANE Int operator^(Int a, Int b) { return a.v ^ b.v; }
    friend TS_LANE Int operator~(Int a) { return ~a.v; }
    friend TS_LANE Int operator-(Int a) { return Int(0) - a; }
    friend TS_LANE Int operator<<(Int a, int n) { return bits<Ints>(a.words() << n); }
    friend TS_LANE Int operator>>(Int a, int n) { return a.v >> n; }
    friend TS_LANE Mask operator==(Int a, Int b) { return {a.v == b.v}; }
    friend TS_LANE Mask operator!=(Int a, Int b) { return {a.v != b.v}; }
    friend TS_LANE Mask operator<(Int a, Int b) { return {a.v < b.v}; }
    friend TS_LANE Mask operator<=(Int a, Int b) { return {a.v <= b.v}; }
    friend TS_LANE Mask operator>(Int a, Int b) { return {a.v > b.v}; }
    friend TS_LANE Mask operator>=(Int a, Int b) { return {a.v >= b.v}; }
};

TS_LANE Int logical_right(Int a, int n) { return bits<Ints>(a.words() >> n); }
TS_LANE Mask unsigned_less(Int a, Int b) { return {bits<Ints>(a.words() < b.words())}; }

TS_LANE Ints blend(Mask m, Ints yes, Ints no) { return (m.v & yes) | (~m.v & no); }
TS_LANE Int select(Mask m, Int yes, Int no) { return blend(m, yes.v, no.v); }

// Shift left by a positive amount, right (logically) by a negative one; only the low five bits of the amount count.
TS_LANE Int shift(Int value, Int amount) {
    const Words left = value.words() << (amount.words() & 31u);
    const Words right = value.words() >> ((Words{} - amount.words()) & 31u);
    return blend(amount < 0, bits<Ints>(right), bits<Ints>(left));
}

TS_LANE Int integer_abs(Int a) { return select(a < 0, -a, a); }

TS_LANE Int leading_zeros(Int a) {
    Ints out = Ints{};
    for (int i = 0; i < lane_count; ++i) {
        out[i] = a.v[i] == 0 ? 32 : __builtin_clz(static_cast<uint32_t>(a.v[i]));
    }
    return out;
}

// Sign-magnitude numbers (floats too) as integers of the same order: -NaN < -inf < ... < -0 < +0 < ... < +NaN.
TS_LANE Int total_order(Int a) {
    return a ^ (a >> 31 & 0x7fffffff);
}

// Exchange between two's complement and sign-magnitude; the same both ways.
TS_LANE Int swap_sign_magnitude(Int a) {
    return select(a < 0, Int(int32_t(0x80000000u)) - a, a);
}
}  // namespace ts::sfpu
