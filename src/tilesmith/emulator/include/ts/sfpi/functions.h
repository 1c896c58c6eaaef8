// SFPI's functions: fields of numbers, signs, shifts, minimum and maximum, classes of floats.
#pragma once
#include "ts/sfpi/types.h"

namespace sfpi {
namespace impl_ {
template <class Result, class Op, class... Values>
TS_LANE Result on_floats(Op op, const Values&... values) {
    return Result(each(simple, [&](auto... lanes) TS_OP { return Int(op(Number::from_bits(lanes)...)); }, values.v...));
}
template <class Result, class Op, class... Values>
TS_LANE Result on_words(Op op, const Values&... values) {
    return Result(each(simple, [&](auto... lanes) TS_OP { return Int(op(Int(lanes)...)); }, values.v...));
}
}  // namespace impl_

struct ExponentMode {
    enum Values { Unbiased, Biased, Debias = Unbiased, NoDebias = Biased } value;
    constexpr ExponentMode(Values v) : value(v) {}
};
TS_LANE vInt exexp(vFloat x, ExponentMode mode = ExponentMode::Unbiased) {
    if (mode.value == ExponentMode::Biased)
        return impl_::on_floats<vInt>([](auto f) TS_OP { return ts::sfpu::biased_exponent(f); }, x);
    return impl_::on_floats<vInt>([](auto f) TS_OP { return ts::sfpu::exponent(f); }, x);
}
TS_LANE vInt exexp_nodebias(vFloat x) { return exexp(x, ExponentMode::Biased); }

enum class MantissaMode { FractionOnly, WithUnitBit, ImplicitOne = WithUnitBit };
TS_LANE vMag exman(vFloat x, MantissaMode mode = MantissaMode::FractionOnly) {
    if (mode == MantissaMode::WithUnitBit)
        return impl_::on_floats<vMag>([](auto f) TS_OP { return ts::sfpu::significand(f); }, x);
    return impl_::on_floats<vMag>([](auto f) TS_OP { return ts::sfpu::fraction(f); }, x);
}
TS_LANE vInt exman8(vFloat x) { return as<vInt>(exman(x, MantissaMode::WithUnitBit)); }
TS_LANE vInt exman9(vFloat x) { return as<vInt>(exman(x)); }
TS_LANE vUInt exsgn(const impl_::vVal& x) { return as<vUInt>(x) >> 31; }

TS_LANE vFloat setexp(vFloat x, vInt e) {
    return impl_::on_words<vFloat>(
        [](impl_::Int f, impl_::Int n) TS_OP { return (f & int32_t(0x807fffffu)) | ((n & 255) << 23); }, x, e);
}
TS_LANE vFloat setexp(vFloat x, int e) { return setexp(x, vInt(e)); }
TS_LANE vFloat copyexp(vFloat x, vFloat from) { return setexp(x, exexp(from, ExponentMode::Biased)); }
TS_LANE vFloat addexp(vFloat x, int n) {
    return impl_::on_floats<vFloat>([&](auto f) TS_OP { return ts::sfpu::add_exponent(f, n).as_int(); }, x);
}
TS_LANE vFloat setman(vFloat x, const impl_::vVal& mantissa) {
    return impl_::on_words<vFloat>(
        [](impl_::Int f, impl_::Int m) TS_OP { return (f & int32_t(0xff800000u)) | (m & 0x7fffff); }, x, mantissa);
}
TS_LANE vFloat setman(vFloat x, unsigned mantissa) { return setman(x, vUInt(mantissa)); }
TS_LANE vFloat setman(vFloat x, int mantissa) { return setman(x, vUInt(mantissa)); }
TS_LANE vFloat copyman(vFloat x, vFloat from) { return setman(x, static_cast<const impl_::vVal&>(from)); }

template <class Type>
TS_LANE Type copysgn(const Type& x, const impl_::vVal& from) {
    return impl_::on_words<Type>(
        [](impl_::Int f, impl_::Int s) TS_OP { return (f & 0x7fffffff) | (s & ts::sfpu::sign_bit); }, x, from);
}
TS_LANE vFloat copysgn(const vProduct& x, const impl_::vVal& from) { return copysgn(vFloat(x), from); }
template <class Type>
TS_LANE Type setsgn(const Type& x, int sign) {
    return copysgn(x, vInt(sign ? ts::sfpu::sign_bit : 0));
}
template <class Type, class Sign, class = std::enable_if_t<std::is_base_of_v<impl_::vVal, Sign>>>
TS_LANE Type setsgn(
    const Type& x, const Sign& from) {
    return copysgn(x, from);
}
template <class Type, class Sign>
TS_LANE Type setsgn2(const Type& x, const Sign& bit) {
    return copysgn(x, as<vUInt>(bit) << 31);
}

enum class LdexpMode { Correct, Fast };
TS_LANE vFloat ldexp(vFloat x, int n, LdexpMode = LdexpMode::Correct) { return addexp(x, n); }
TS_LANE vFloat ldexp(vFloat x, vInt n, LdexpMode mode = LdexpMode::Correct) {
    if (mode == LdexpMode::Fast) return setexp(x, exexp(x, ExponentMode::Biased) + n);
    return x * setexp(vFloat(0.0f), n + vInt(127));
}

TS_LANE vFloat abs(vFloat x) {
    return impl_::on_floats<vFloat>([](auto f) TS_OP { return ts::sfpu::abs(f).as_int(); }, x);
}
TS_LANE vMag abs(vInt x) {
    return impl_::on_words<vMag>([](impl_::Int i) TS_OP { return ts::sfpu::integer_abs(i); }, x);
}
TS_LANE vMag abs(vSMag x) { return as<vMag>(setsgn(x, 0)); }

enum class LZMode { All, IgnoreSign };
template <class Type>
TS_LANE vMag lz(const Type& x, LZMode mode = LZMode::All) {
    const int32_t seen = mode == LZMode::IgnoreSign ? 0x7fffffff : -1;
    return impl_::on_words<vMag>([&](impl_::Int i) TS_OP { return ts::sfpu::leading_zeros(i & seen); }, x);
}
template <class Type>
TS_LANE vInt lz_nosgn(const Type& x) { return as<vInt>(lz(x, LZMode::IgnoreSign)); }

// Left by a positive amount, right by a negative one. Wormhole shifts zeros in, whatever the type.
enum class ShiftMode {
    Logical,
#ifdef ARCH_BLACKHOLE
    Arithmetic,
#endif
};
template <class Type>
TS_LANE Type shift_by(const Type& x, const vInt& amount, bool arithmetic) {
    return impl_::on_words<Type>(
        [&](impl_::Int i, impl_::Int n) TS_OP {
            if (!arithmetic) return ts::sfpu::shift(i, n);
            const impl_::Int right = i.v >> ((0 - n.v) & 31);
            return ts::sfpu::select(n < 0, right, ts::sfpu::shift(i, n));
        },
        x, amount);
}
TS_LANE vUInt shft(vUInt x, vInt n, ShiftMode = ShiftMode::Logical) { return shift_by(x, n, false); }
TS_LANE vUInt shft(vUInt x, int n, ShiftMode = ShiftMode::Logical) { return shift_by(x, vInt(n), false); }
#ifdef ARCH_BLACKHOLE
TS_LANE vInt shft(vInt x, vInt n, ShiftMode m = ShiftMode::Arithmetic) {
    return shift_by(x, n, m == ShiftMode::Arithmetic);
}
TS_LANE vInt shft(vInt x, int n, ShiftMode m = ShiftMode::Arithmetic) { return shft(x, vInt(n), m); }
#else
TS_LANE vInt shft(vInt x, vInt n, ShiftMode = ShiftMode::Logical) { return shift_by(x, n, false); }
TS_LANE vInt shft(vInt x, int n, ShiftMode = ShiftMode::Logical) { return shift_by(x, vInt(n), false); }
#endif

TS_LANE vBool is_nan(vFloat x) { return exexp(x, ExponentMode::Biased) >= 255 && exman(x) != vMag(0); }
TS_LANE vBool is_inf(vFloat x) { return exexp(x, ExponentMode::Biased) >= 255 && exman(x) == vMag(0); }
TS_LANE vBool is_finite(vFloat x) { return exexp(x, ExponentMode::Biased) < 255; }
TS_LANE vBool is_normal(vFloat x) { return is_finite(x) && exexp(x, ExponentMode::Biased) != 0; }
TS_LANE vBool is_subnormal(vFloat x) { return exexp(x, ExponentMode::Biased) == 0 && exman(x) != vMag(0); }
TS_LANE vBool is_zero(vFloat x) { return (as<vUInt>(x) << 1) == vUInt(0); }
TS_LANE vBool is_neg(vFloat x) { return as<vInt>(x) < 0; }
TS_LANE vBool is_pos(vFloat x) { return as<vInt>(x) >= 0; }

// The order of sign and magnitude, which is also that of floats.
template <class Type>
TS_LANE std::pair<Type, Type> min_max(const Type& a, const Type& b) {
    ts::sfpi_unit::spend(impl_::simple);  // a swap takes two
    const auto lower = [](impl_::Int x, impl_::Int y)
                           TS_OP { return ts::sfpu::total_order(x) <= ts::sfpu::total_order(y); };
    return {impl_::on_words<Type>([&](impl_::Int x, impl_::Int y) TS_OP { return ts::sfpu::select(lower(x, y), x, y); },
                                  a, b),
            impl_::on_words<Type>([&](impl_::Int x, impl_::Int y) TS_OP { return ts::sfpu::select(lower(x, y), y, x); },
                                  a, b)};
}
TS_LANE vFloat min(vFloat a, vFloat b) { return min_max(a, b).first; }
TS_LANE vFloat max(vFloat a, vFloat b) { return min_max(a, b).second; }
TS_LANE vSMag min(vSMag a, vSMag b) { return min_max(a, b).first; }
TS_LANE vSMag max(vSMag a, vSMag b) { return min_max(a, b).second; }
TS_LANE vFloat clamp(vFloat x, vFloat lower, vFloat upper) { return min(max(x, lower), upper); }
TS_LANE vSMag clamp(vSMag x, vSMag lower, vSMag upper) { return min(max(x, lower), upper); }
TS_LANE vFloat symmetric_clamp(vFloat x, float bound) { return copysgn(min(abs(x), vFloat(bound)), x); }
TS_LANE void vec_min_max(vFloat& a, vFloat& b) {
    const auto [low, high] = min_max(a, b);
    a = low;
    b = high;
}
template <class Type>
TS_LANE void swap(Type& a, Type& b) {
    const Type before = a;
    a = b;
    b = before;
}
template <class Type>
TS_LANE void vec_swap(Type& a, Type& b) { swap(a, b); }

struct FloatAndInt : std::pair<vFloat, vInt> {
    using pair::pair;
    TS_LANE operator vFloat() const { return first; }
    TS_LANE operator vInt() const { return second; }
};
TS_LANE FloatAndInt round(vFloat x) {
    const vFloat magic(0x1.8p23f), shifted = x + magic;
    return {shifted - magic, as<vInt>(shifted) - as<vInt>(magic)};
}

TS_LANE vFloat polynomial(vFloat) { return 0.0f; }
template <class First, class... More>
TS_LANE vFloat polynomial(vFloat x, First c0, More... more) {
    if constexpr (sizeof...(More) == 0) return vFloat(c0);
    else return vFloat(c0) + x * polynomial(x, more...);
}

#ifdef ARCH_BLACKHOLE
enum class RecipMode { All, IfNegative };
TS_LANE vFloat approx_recip(vFloat x, RecipMode mode = RecipMode::All) {
    const vFloat result =
        impl_::on_floats<vFloat>([](auto f) TS_OP { return ts::sfpu::approximate_reciprocal(f).as_int(); }, x);
    if (mode == RecipMode::All) return result;
    return impl_::on_words<vFloat>([](impl_::Int f, impl_::Int r) TS_OP { return ts::sfpu::select(f < 0, r, f); }, x,
                                   result);
}
TS_LANE vFloat rectified_linear_unit(vFloat x) { return max(x, vFloat(0.0f)); }
#endif
}  // namespace sfpi
