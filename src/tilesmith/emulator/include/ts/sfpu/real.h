// Numbers in the vector unit's lanes. `Real<true>` computes as the chip does (by the runtime: compiling that would take
// most of the time of a small kernel), `Real<false>` as the host does.
#pragma once
#include "ts/abi_lanes.h"
#include "ts/sfpu/lanes.h"

namespace ts::sfpu {
#ifdef ARCH_BLACKHOLE
inline constexpr bool blackhole = true;
#else
inline constexpr bool blackhole = false;
#endif

namespace detail {
TS_LANE float* first(Floats& lanes) { return reinterpret_cast<float*>(&lanes); }
TS_LANE const float* first(const Floats& lanes) { return reinterpret_cast<const float*>(&lanes); }

TS_LANE void chip_mad(Floats& r, const Floats& a, const Floats& b, const Floats& c) {
    ts_lanes_mad(blackhole, lane_count, first(r), first(a), first(b), first(c));
}
TS_LANE void chip_mul(Floats& r, const Floats& a, const Floats& b) {
    ts_lanes_mul(blackhole, lane_count, first(r), first(a), first(b));
}
TS_LANE void chip_add(Floats& r, const Floats& a, const Floats& b) {
    ts_lanes_add(blackhole, lane_count, first(r), first(a), first(b));
}
TS_LANE void chip_subtract(Floats& r, const Floats& a, const Floats& b) {
    ts_lanes_subtract(blackhole, lane_count, first(r), first(a), first(b));
}
}  // namespace detail

// Literals that fit in bfloat16 travel inside an add or multiply instruction, which then cannot be a multiply-add.
// Zero and plus or minus one have registers of their own.
constexpr bool is_immediate(float c) {
    return (__builtin_bit_cast(uint32_t, c) & 0xffffu) == 0 && c != 0.0f && c != 1.0f && c != -1.0f;
}

// A product that has not been rounded yet: adding to it is one multiply-add, as the vendor's compiler makes it.
template <class Number>
struct Product;

template <bool Chip>
struct Real {
    static constexpr bool chip = Chip;
    Floats v;
    Real() = default;
    TS_LANE Real(Floats from) : v(from) {}
    TS_LANE Real(float x) : v(x - Floats{}) {}
    TS_LANE Real(double x) : v(static_cast<float>(x) - Floats{}) {}
    TS_LANE Real(int x) : v(static_cast<float>(x) - Floats{}) {}
    TS_LANE Int as_int() const { return bits<Ints>(v); }
    static TS_LANE Real from_bits(Int i) { return bits<Floats>(i.v); }
    static TS_LANE Real infinity() { return __builtin_inff(); }
    static TS_LANE Real nan() { return __builtin_nanf(""); }

    friend TS_LANE Product<Real> operator*(Real a, Real b) { return {a, b}; }
    friend TS_LANE Real operator+(Real a, Real b) {
        if constexpr (!Chip) return a.v + b.v;
        Real r;
        detail::chip_add(r.v, a.v, b.v);
        return r;
    }
    friend TS_LANE Real operator-(Real a) { return from_bits(a.as_int() ^ Int(int32_t(0x80000000u))); }
    friend TS_LANE Real operator-(Real a, Real b) {
        if constexpr (!Chip) return a.v - b.v;
        Real r;
        detail::chip_subtract(r.v, a.v, b.v);
        return r;
    }

    // Comparisons look at the sign of a difference, so NaN counts as a number above (or, if negative, below) all.
    friend TS_LANE Mask operator<(Real a, Real b) {
        if constexpr (!Chip) return {a.v < b.v};
        return (a - b).as_int() < 0;
    }
    friend TS_LANE Mask operator>(Real a, Real b) {
        if constexpr (!Chip) return {~(a.v <= b.v)};
        return (a - b).as_int() > 0;
    }
    friend TS_LANE Mask operator==(Real a, Real b) {
        if constexpr (!Chip) return {a.v == b.v};
        return (a - b).as_int() == 0;
    }
    friend TS_LANE Mask operator>=(Real a, Real b) { return !(a < b); }
    friend TS_LANE Mask operator<=(Real a, Real b) { return !(a > b); }
    friend TS_LANE Mask operator!=(Real a, Real b) { return !(a == b); }
};

template <class Number>
struct Product {
    Number a, b;
    TS_LANE operator Number() const;
    friend TS_LANE Number operator+(Product p, Number c) { return mad(p.a, p.b, c); }
    friend TS_LANE Number operator+(Number c, Product p) { return mad(p.a, p.b, c); }
    friend TS_LANE Number operator+(Product p, float c) {
        return is_immediate(c) ? Number(p) + Number(c) : mad(p.a, p.b, Number(c));
    }
    friend TS_LANE Number operator-(float c, Product p) {
        return is_immediate(c) ? Number(c) - Number(p) : subtract_product(Number(c), p.a, p.b);
    }
    friend TS_LANE Number operator+(Product p, Product q) { return mad(q.a, q.b, Number(p)); }
    friend TS_LANE Number operator-(Product p, Number c) { return mad(p.a, p.b, -c); }
    friend TS_LANE Number operator-(Number c, Product p) { return subtract_product(c, p.a, p.b); }
    friend TS_LANE Number operator-(Product p, Product q) { return mad(p.a, p.b, -Number(q)); }
    friend TS_LANE Number operator-(Product p) { return -Number(p); }
};

template <bool Chip>
TS_LANE Real<Chip> mad(Real<Chip> a, Real<Chip> b, Real<Chip> c) {
    if constexpr (!Chip) return a.v * b.v + c.v;
    Real<Chip> r;
    detail::chip_mad(r.v, a.v, b.v, c.v);
    return r;
}

// c - a * b: Blackhole negates inside its multiply-add, Wormhole needs a second rounding.
template <bool Chip>
TS_LANE Real<Chip> subtract_product(Real<Chip> c, Real<Chip> a, Real<Chip> b) {
    if constexpr (blackhole) return mad(-a, b, c);
    return c - Real<Chip>(a * b);
}

template <class Number>
TS_LANE Product<Number>::operator Number() const {
    if constexpr (!Number::chip) return a.v * b.v;
    Number r;
    detail::chip_mul(r.v, a.v, b.v);
    return r;
}
}  // namespace ts::sfpu
