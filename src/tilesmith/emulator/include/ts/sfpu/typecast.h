// Conversions between the formats a DST tile can hold.
#pragma once
#include "ts/formats.h"
#include "ts/sfpu/simple.h"

namespace ts::sfpu {
constexpr bool is_floating(DataFormat f) {
    switch (f) {
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::UInt16:
        case DataFormat::UInt8:
        case DataFormat::Int8: return false;
        default: return true;
    }
}

namespace detail {
template <class F>
TS_LANE Int to_int32(F x) {
    const Int e = exponent(x);
    const Int whole = shift(significand(x), e - 23);
    const Int r = select(e < 0, Int(0), select(e >= 31, Int(int32_t(0x80000000u)), whole));
    return select(negative(x), -r, r);
}
template <class F>
TS_LANE Int to_uint32(F x) {
    const Int e = exponent(x);
    const Int whole = shift(significand(x), e - 23);
    return select(negative(x) | (e < 0), Int(0), select(e >= 32, Int(-1), whole));
}
template <class F>
TS_LANE Int to_byte(F x) {
    const Int e = exponent(x);
    const Int whole = select(e < 0, Int(0), shift(significand(x), e - 23));
    return select(negative(x), -whole, whole) & 0xff;
}
template <class F> TS_LANE F from_unsigned(Int i) {
    const F low = from_sign_magnitude<F>(i & 0x7fffffff);
    return select(i < 0, low + F(2147483648.0f), low);
}
template <class F> TS_LANE F from_signed(Int i) {
    const F r = from_int<F>(i);
    return select(i == int32_t(0x80000000u), F(-2147483648.0f), r);
}
template <class F, DataFormat To>
TS_LANE Int float_to(F x) {
    if constexpr (To == DataFormat::Int32) return to_int32(x);
    if constexpr (To == DataFormat::UInt32) return to_uint32(x);
    if constexpr (To == DataFormat::UInt16) return to_uint16(maximum(x, F(0.0f)));
    return to_byte(x);
}
template <DataFormat From, DataFormat To>
TS_LANE Int integer_to(Int i) {
    if constexpr (To == DataFormat::UInt8 || To == DataFormat::Int8) return i & 0xff;
    if constexpr (To == DataFormat::UInt16) {
        if constexpr (From == DataFormat::Int32) i = select(i < 0, Int(0), i);
        return select(logical_right(i, 16) != 0, Int(0xffff), i);
    }
    if constexpr (From == DataFormat::Int8) return (i << 24) >> 24;
    return i;
}
}  // namespace detail

// The quotient of two tiles of int32 patterns, as a float.
template <class F>
TS_LANE F divide_integers(F x, F y) {
    const Int a = x.as_int(), b = y.as_int();
    const F fa = detail::from_signed<F>(a), fb = detail::from_signed<F>(b);
    const F inverse = reciprocal<2>(fb);
    F r = fa * inverse;
    r = select(b != 0, r + subtract_product(fa, r, fb) * inverse, r);
    return select((a == b) & (a != 0), F(1.0f), r);
}

// One tile's patterns from one format to another. Between floating formats only float32 to bfloat16 does anything.
template <DataFormat From, DataFormat To, class F>
TS_LANE Int typecast(Int i, bool wide) {
    const auto rounded = [=](F x) TS_OP {
        const Int r = (To == DataFormat::Float32 ? x : round_to_bf16(x)).as_int();
        return wide ? r : r & int32_t(0xffff0000u);
    };
    if constexpr (is_floating(From) && is_floating(To)) {
        if constexpr (From == DataFormat::Float32 && To == DataFormat::Float16_b) {
            return round_to_bf16_even(F::from_bits(i)).as_int();
        }
        return i;
    } else if constexpr (is_floating(From)) {
        return detail::float_to<F, To>(F::from_bits(i));
    } else if constexpr (!is_floating(To)) {
        return detail::integer_to<From, To>(i);
    } else if constexpr (From == DataFormat::Int32) {
        return rounded(detail::from_signed<F>(i));
    } else if constexpr (From == DataFormat::Int8) {
        return rounded(detail::from_signed<F>((i << 24) >> 24));
    } else {
        return rounded(detail::from_unsigned<F>(i));
    }
}
}  // namespace ts::sfpu
