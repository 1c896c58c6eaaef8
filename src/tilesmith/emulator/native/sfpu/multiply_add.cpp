// Sums and products of the vector unit as the chip makes them, for the lanes of a kernel.
//
// The chip's multiply-add keeps 27 or 28 bits of the product and rounds once, to nearest even. It reads and writes
// denormals as zero; Wormhole's zeros are all positive, and its NaNs are infinities with the lowest bit set.
#include <cstring>

#include "ts/abi_lanes.h"
#include "ts/sfpu/lanes.h"

namespace ts::lanes {
namespace {
using namespace ts::sfpu;

TS_LANE Ints flush_input(Ints a) { return a & ~(((a & 0x7f800000) == 0) & 0x7fffffff); }

template <bool blackhole>
TS_LANE Floats flush_result(Floats r) {
    const Ints i = bits<Ints>(r);
    const Ints tiny = (i & 0x7fffffff) < 0x00800000;
    return bits<Floats>(blackhole ? (i & ~(tiny & 0x7fffffff)) : (i & ~tiny));
}

// One lane of multiply-add where an operand is infinite or NaN, or the product overflows.
template <bool blackhole>
uint32_t mad_of_specials(uint32_t x, uint32_t y, uint32_t z) {
    const auto exponent = [](uint32_t a) { return a >> 23 & 255; };
    const auto fraction = [](uint32_t a) { return a & 0x7fffff; };
    const auto is_zero = [&](uint32_t a) { return exponent(a) == 0; };
    const auto is_inf = [&](uint32_t a) { return exponent(a) == 255 && fraction(a) == 0; };
    const auto is_nan = [&](uint32_t a) { return exponent(a) == 255 && fraction(a) != 0; };
    const uint32_t product_sign = (x ^ y) & 0x80000000u;
    const int product_exponent = int(exponent(x)) + int(exponent(y)) - 127;
    const bool product_nan = is_nan(x) || is_nan(y) || (is_inf(x) && is_zero(y)) || (is_inf(y) && is_zero(x));
    const bool operand_inf = exponent(x) == 255 || exponent(y) == 255;
    const bool product_inf = operand_inf || (!blackhole && !is_zero(x) && !is_zero(y) && product_exponent >= 255);
    const bool opposed = is_inf(z) && product_inf && (z & 0x80000000u) != product_sign;
    if (blackhole) {
        if (product_nan || is_nan(z) || opposed) return 0x7fc00000u;
        return exponent(z) == 255 ? z : product_sign | 0x7f800000u;
    }
    if (!product_nan && !opposed && !is_nan(z)) return is_inf(z) ? z : product_sign | 0x7f800000u;
    const uint32_t nan = (product_nan || opposed ? product_sign : z & 0x80000000u) | 0x7f800001u;
    // Wormhole still adds the operands' fractions as numbers, and what comes out stays in the NaN's low bits.
    const auto mantissa = [&](uint32_t a) -> uint64_t { return is_zero(a) ? 0 : fraction(a) | 0x800000u; };
    int pe = product_exponent > 255 ? 255 : product_exponent;
    uint64_t p = mantissa(x) * mantissa(y) << 3;
    p = p >> 23 | ((p & 0x7fffff) != 0);
    if (p == 0 || pe < 0) p = 0, pe = 0;
    uint64_t c = mantissa(z) << 3;
    const int ze = int(exponent(z));
    int e = pe > ze ? pe : ze;
    const auto align = [](uint64_t m, int by, int width) -> uint64_t {
        if (by >= width) return 0;
        const uint64_t shifted = m >> by;
        return shifted == 0 ? 0 : shifted | ((shifted << by) != m);
    };
    p = align(p, e - pe, 64);
    c = align(c, e - ze, 32);
    const bool same = product_sign == (z & 0x80000000u);
    const uint32_t sum = uint32_t(same ? p + c : (p >= c ? p - c : c - p));
    if (sum == 0) return nan;
    const int n = 5 - __builtin_clz(sum);
    e += n;
    if (e >= 255 || e < 0) return nan;
    const uint32_t m = n <= 0 ? sum << -n : (sum >> n | (sum & 1));
    uint32_t r = (uint32_t(e) << 23) + (m >> 3 & 0x7fffff);
    r += ((m & 7) + (r & 1)) > 4;
    return (r >> 23) == 0 ? nan : nan | r;
}

template <bool blackhole>
__attribute__((noinline)) void repair_specials(Floats& r, const Floats& a, const Floats& b, const Floats& c,
                                               Ints special) {
    for (int i = 0; i < lane_count; ++i) {
        if (special[i]) {
            r[i] = bits<float>(mad_of_specials<blackhole>(bits<Words>(a)[i], bits<Words>(b)[i], bits<Words>(c)[i]));
        }
    }
}

// Doubles are twice as wide, so they are worked on in halves.
constexpr int half_lanes = lane_count / 2;
using HalfFloats = float __attribute__((vector_size(4 * half_lanes)));
using Doubles = double __attribute__((vector_size(8 * half_lanes)));
using Longs = int64_t __attribute__((vector_size(8 * half_lanes)));
using UnsignedLongs = uint64_t __attribute__((vector_size(8 * half_lanes)));

template <class V>
TS_LANE Floats join(V low, V high) {
    if constexpr (lane_count == 16) {
        return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    } else if constexpr (lane_count == 8) {
        return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    } else {
        return __builtin_shufflevector(low, high, 0, 1, 2, 3);
    }
}

// Cuts a double's bits below 2^lowest (an exponent), leaving a one in the last place if any of them was set.
TS_LANE Longs cut_sticky(Longs number, Longs lowest) {
    const Longs exponent = (number >> 52) & 0x7ff;
    const Longs dropped = lowest - exponent + 52;
    const Longs below = ~(~Longs{} << (dropped & 63));
    // Where only the leading one is left, which has no bit of its own, there is nothing to set.
    // In lanes that are left out the sum may wrap, which only unsigned numbers may.
    const UnsignedLongs carry = bits<UnsignedLongs>(number & below) + bits<UnsignedLongs>(below);
    const Longs sticky = bits<Longs>(carry) & (dropped < 52);
    const Longs cut = (number | sticky) & ~below;
    const Longs sign = number & (1ll << 63);
    return (cut & (dropped <= 52) & (exponent != 0)) | sign;
}

// Both addends are cut 26 bits below the larger exponent, the product's being the sum of its factors' exponents.
template <bool blackhole, int Part>
TS_LANE HalfFloats mad_of_half(Floats a, Floats b, Floats c, Ints exponent,
                                                                 Ints keep) {
    const Doubles product =
        __builtin_convertvector(half_of<Part>(a), Doubles) * __builtin_convertvector(half_of<Part>(b), Doubles);
    const Longs larger = __builtin_convertvector(half_of<Part>(exponent), Longs);
    const Longs kept = __builtin_convertvector(half_of<Part>(keep), Longs) | (1ll << 63);
    const Longs p = cut_sticky(bits<Longs>(product) & kept, larger - 26);
    const Longs q = cut_sticky(bits<Longs>(__builtin_convertvector(half_of<Part>(c), Doubles)), larger - 26);
    Longs sum = bits<Longs>(bits<Doubles>(p) + bits<Doubles>(q));
    if constexpr (!blackhole) {
        // A carry of two places loses the last bit but one.
        const Longs carried = (((sum >> 52) & 0x7ff) - larger) == 2;
        sum &= ~(carried & 0x2000000);
    }
    return __builtin_convertvector(bits<Doubles>(sum), HalfFloats);
}

template <bool blackhole>
TS_LANE void mad(Floats& r, const Floats& a, const Floats& b, const Floats& c) {
    const Ints ia = bits<Ints>(a), ib = bits<Ints>(b), ic = bits<Ints>(c);
    const Ints ea = (ia >> 23) & 255, eb = (ib >> 23) & 255, ec = (ic >> 23) & 255;
    const Ints product_exponent = ea + eb - 127;
    const Ints factors = (ea != 0) & (eb != 0);
    const Ints special = (ea == 255) | (eb == 255) | (ec == 255) | ((product_exponent >= 255) & factors);
    const Ints keep = factors & (product_exponent >= 0);
    const Ints larger = blend({(product_exponent > ec) & keep}, product_exponent, ec) + (1023 - 127);
    const Floats addend = bits<Floats>(flush_input(ic));
    r = flush_result<blackhole>(join(mad_of_half<blackhole, 0>(a, b, addend, larger, keep),
                                     mad_of_half<blackhole, 1>(a, b, addend, larger, keep)));
    if (any({special})) repair_specials<blackhole>(r, a, b, c, special);
}

template <bool blackhole>
TS_LANE void mul(Floats& r, const Floats& a, const Floats& b) {
    const Ints ia = bits<Ints>(a), ib = bits<Ints>(b);
    const Ints ea = (ia >> 23) & 255, eb = (ib >> 23) & 255;
    const Ints keep = (ea != 0) & (eb != 0) & (ea + eb >= 127);
    r = bits<Floats>(bits<Ints>(flush_result<blackhole>(a * b)) & keep);
    const Ints special = (ea == 255) | (eb == 255);
    if (any({special})) repair_specials<blackhole>(r, a, b, Floats{}, special);
}

template <bool blackhole>
TS_LANE void add(Floats& r, const Floats& a, const Floats& b) {
    const Ints ia = bits<Ints>(a), ib = bits<Ints>(b);
    const Ints ea = (ia >> 23) & 255, eb = (ib >> 23) & 255;
    r = flush_result<blackhole>(bits<Floats>(flush_input(ia)) + bits<Floats>(flush_input(ib)));
    const Ints special = (ea == 255) | (eb == 255);
    if (any({special})) repair_specials<blackhole>(r, 1.0f - Floats{}, a, b, special);
}

// A difference is b * -1 + a: infinity less infinity has the sign that the product has.
template <bool blackhole>
TS_LANE void subtract(Floats& r, const Floats& a, const Floats& b) {
    const Ints ia = bits<Ints>(a), ib = bits<Ints>(b);
    const Ints ea = (ia >> 23) & 255, eb = (ib >> 23) & 255;
    r = flush_result<blackhole>(bits<Floats>(flush_input(ia)) - bits<Floats>(flush_input(ib)));
    const Ints special = (ea == 255) | (eb == 255);
    if (any({special})) repair_specials<blackhole>(r, Floats{} - 1.0f, b, a, special);
}
// ---- lanes of a kernel, which may have been compiled for another processor's registers ----

Floats& whole(float* lanes) { return *reinterpret_cast<Floats*>(lanes); }
const Floats& whole(const float* lanes) { return *reinterpret_cast<const Floats*>(lanes); }

template <class Compute, class... Operands>
TS_LANE void in_registers(uint32_t lanes, float* r, Compute compute,
                                                                    const Operands*... operands) {
    if (lanes == lane_count) return compute(whole(r), whole(operands)...);
    const auto part = [](const float* from, uint32_t count) {
        Floats some{};
        std::memcpy(&some, from, count * sizeof(float));
        return some;
    };
    for (uint32_t at = 0; at < lanes; at += lane_count) {
        const uint32_t count = lanes - at < lane_count ? lanes - at : lane_count;
        Floats result;
        compute(result, part(operands + at, count)...);
        std::memcpy(r + at, &result, count * sizeof(float));
    }
}

}  // namespace

extern "C" void ts_lanes_mad(bool blackhole, uint32_t lanes, float* r, const float* a, const float* b, const float* c) {
    if (blackhole) in_registers(lanes, r, mad<true>, a, b, c);
    else in_registers(lanes, r, mad<false>, a, b, c);
}

extern "C" void ts_lanes_mul(bool blackhole, uint32_t lanes, float* r, const float* a, const float* b) {
    if (blackhole) in_registers(lanes, r, mul<true>, a, b);
    else in_registers(lanes, r, mul<false>, a, b);
}

extern "C" void ts_lanes_add(bool blackhole, uint32_t lanes, float* r, const float* a, const float* b) {
    if (blackhole) in_registers(lanes, r, add<true>, a, b);
    else in_registers(lanes, r, add<false>, a, b);
}

extern "C" void ts_lanes_subtract(bool blackhole, uint32_t lanes, float* r, const float* a, const float* b) {
    if (blackhole) in_registers(lanes, r, subtract<true>, a, b);
    else in_registers(lanes, r, subtract<false>, a, b);
}

}  // namespace ts::lanes
