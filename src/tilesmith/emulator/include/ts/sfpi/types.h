// Vectors of numbers as SFPI has them: floats, integers in two's complement and unsigned, sign and magnitude.
#pragma once
#include <type_traits>
#include <utility>

#include "ts/sfpi/condition.h"

namespace sfpi {
class vInt;
class vUInt;
class vSMag;
struct vProduct;

namespace impl_ {
using ts::sfpi_unit::all;
using ts::sfpi_unit::each;
using ts::sfpi_unit::multiply_add;
using ts::sfpi_unit::Number;
using ts::sfpi_unit::simple;
using ts::sfpi_unit::Vector;
using ts::sfpu::Int;
using ts::sfpu::Mask;

// Assignment obeys the condition, initialisation does not.
class vVal {
public:
    Vector v = {};
    vVal() = default;
    vVal(const vVal&) = default;
    TS_LANE explicit vVal(const Vector& from) : v(from) {}
    TS_LANE vVal& operator=(const vVal& from) {
        ts::sfpi_unit::assign(v, from.v);
        ts::sfpi_unit::spend(simple);
        return *this;
    }
    TS_LANE const Vector& get() const { return v; }
};

template <class Op>
TS_LANE Vector floats(uint32_t cycles, Op op, const Vector& a, const Vector& b) {
    return each(
        cycles, [&](Int x, Int y) TS_OP { return Number(op(Number::from_bits(x), Number::from_bits(y))).as_int(); }, a,
        b);
}
template <class Op>
TS_LANE vBool test(Op op, const Vector& a, const Vector& b) {
    return vBool(each(simple, [&](Int x, Int y) TS_OP { return op(x, y); }, a, b));
}
template <class Op>
TS_LANE vBool test_floats(Op op, const Vector& a, const Vector& b) {
    return test([&](Int x, Int y) TS_OP { return op(Number::from_bits(x), Number::from_bits(y)); }, a, b);
}
}  // namespace impl_

class vFloat : public impl_::vVal {
public:
    using vVal::vVal;
    vFloat() = default;
    vFloat(const vFloat&) = default;
    TS_LANE vFloat(float value) : vVal(impl_::all(value)) {}
    TS_LANE vFloat(const vProduct& product);
    vFloat& operator=(const vFloat&) = default;
    TS_LANE vFloat& operator+=(vFloat b);
    TS_LANE vFloat& operator-=(vFloat b);
    TS_LANE vFloat& operator*=(vFloat b);
    TS_LANE vFloat& operator++();
    TS_LANE vFloat& operator--();
};

// A product inside an expression: adding to it is one multiply-add, as the vendor's compiler makes it.
struct vProduct {
    vFloat a, b;
};

TS_LANE vFloat::vFloat(const vProduct& p)
    : vVal(impl_::floats(impl_::multiply_add, [](auto x, auto y) TS_OP { return x * y; }, p.a.v, p.b.v)) {}

TS_LANE vFloat mad(const vFloat& a, const vFloat& b, const vFloat& c) {
    using N = impl_::Number;
    return vFloat(impl_::each(
        impl_::multiply_add,
        [](impl_::Int x, impl_::Int y, impl_::Int z)
            TS_OP { return ts::sfpu::mad(N::from_bits(x), N::from_bits(y), N::from_bits(z)).as_int(); },
        a.v, b.v, c.v));
}
TS_LANE vFloat negated(const vFloat& a) {
    return vFloat(impl_::each(impl_::simple, [](impl_::Int x) TS_OP { return x ^ ts::sfpu::sign_bit; }, a.v));
}

TS_LANE vProduct operator*(vFloat a, vFloat b) { return {a, b}; }
TS_LANE vFloat operator+(vFloat a) { return a; }
TS_LANE vFloat operator-(vFloat a) { return negated(a); }
TS_LANE vFloat operator+(vFloat a, vFloat b) {
    return vFloat(impl_::floats(impl_::multiply_add, [](auto x, auto y) TS_OP { return x + y; }, a.v, b.v));
}
TS_LANE vFloat operator-(vFloat a, vFloat b) {
    return vFloat(impl_::floats(impl_::multiply_add, [](auto x, auto y) TS_OP { return x - y; }, a.v, b.v));
}
TS_LANE vFloat operator+(const vProduct& p, vFloat c) { return mad(p.a, p.b, c); }
TS_LANE vFloat operator+(vFloat c, const vProduct& p) { return mad(p.a, p.b, c); }
TS_LANE vFloat operator+(const vProduct& p, const vProduct& q) { return mad(q.a, q.b, vFloat(p)); }
TS_LANE vFloat operator+(const vProduct& p, float c) {
    return ts::sfpu::is_immediate(c) ? vFloat(p) + vFloat(c) : mad(p.a, p.b, vFloat(c));
}
TS_LANE vFloat operator+(float c, const vProduct& p) { return p + c; }
TS_LANE vFloat operator-(const vProduct& p, vFloat c) { return mad(p.a, p.b, negated(c)); }
TS_LANE vFloat operator-(const vProduct& p, float c) { return p + -c; }
TS_LANE vFloat operator-(const vProduct& p, const vProduct& q) { return mad(p.a, p.b, negated(vFloat(q))); }
TS_LANE vFloat operator-(vFloat c, const vProduct& p) {
    using N = impl_::Number;
    return vFloat(impl_::each(
        impl_::multiply_add,
        [](impl_::Int z, impl_::Int x, impl_::Int y)
            TS_OP { return ts::sfpu::subtract_product(N::from_bits(z), N::from_bits(x), N::from_bits(y)).as_int(); },
        c.v, p.a.v, p.b.v));
}
TS_LANE vFloat operator-(float c, const vProduct& p) {
    return ts::sfpu::is_immediate(c) ? vFloat(c) - vFloat(p) : vFloat(c) - p;
}
TS_LANE vFloat operator-(const vProduct& p) { return negated(vFloat(p)); }

TS_LANE vFloat& vFloat::operator+=(vFloat b) { return *this = *this + b; }
TS_LANE vFloat& vFloat::operator-=(vFloat b) { return *this = *this - b; }
TS_LANE vFloat& vFloat::operator*=(vFloat b) { return *this = vFloat(*this * b); }
TS_LANE vFloat& vFloat::operator++() { return *this += vFloat(1.0f); }
TS_LANE vFloat& vFloat::operator--() { return *this -= vFloat(1.0f); }

// Floats that were rounded, and integers that are known to be small: the same bits.
namespace impl_ {
template <class Wide>
class vNarrow : public Wide {
public:
    using Wide::Wide;
    vNarrow() = default;
    vNarrow(const vNarrow&) = default;
    vNarrow& operator=(const vNarrow&) = default;
};
}  // namespace impl_
using vFloat16a = impl_::vNarrow<vFloat>;
struct vFloat16b : vFloat {
    using vFloat::vFloat;
};

#define TS_VECTOR_OF_INTEGERS(Name, Other)                                                                          \
    class Name : public impl_::vVal {                                                                               \
    public:                                                                                                         \
        using vVal::vVal;                                                                                           \
        Name() = default;                                                                                           \
        Name(const Name&) = default;                                                                                \
        TS_LANE Name(int value) : vVal(impl_::all(static_cast<int32_t>(value))) {}                                  \
        TS_LANE Name(unsigned value) : vVal(impl_::all(static_cast<int32_t>(value))) {}                             \
        TS_LANE Name(long value) : vVal(impl_::all(static_cast<int32_t>(value))) {}                                 \
        TS_LANE Name(unsigned long value) : vVal(impl_::all(static_cast<int32_t>(value))) {}                        \
        explicit operator Other() const;                                                                            \
        Name& operator=(const Name&) = default;                                                                     \
        TS_LANE operator vBool() const { return *this != Name(0); }                                                 \
        friend TS_LANE Name operator+(Name a) { return a; }                                                         \
        friend TS_LANE Name operator-(Name a) { return Name(0) - a; }                                               \
        friend TS_LANE Name operator~(Name a) {                                                                     \
            return Name(impl_::each(impl_::simple, [](impl_::Int x) TS_OP { return ~x; }, a.v));                    \
        }                                                                                                           \
        TS_INTEGER_OPERATOR(Name, +)                                                                                \
        TS_INTEGER_OPERATOR(Name, -)                                                                                \
        TS_INTEGER_OPERATOR(Name, &)                                                                                \
        TS_INTEGER_OPERATOR(Name, |) TS_INTEGER_OPERATOR(Name, ^) friend TS_LANE vBool operator==(Name a, Name b) { \
            return impl_::test([](impl_::Int x, impl_::Int y) TS_OP { return x == y; }, a.v, b.v);                  \
        }                                                                                                           \
        friend TS_LANE vBool operator!=(Name a, Name b) { return !(a == b); }                                       \
        /* An order that reads the sign of a difference: wrong where that overflows, as on the chip. */             \
        friend TS_LANE vBool operator<(Name a, Name b) {                                                            \
            return impl_::test([](impl_::Int x, impl_::Int y) TS_OP { return x - y < 0; }, a.v, b.v);               \
        }                                                                                                           \
        friend TS_LANE vBool operator>=(Name a, Name b) { return !(a < b); }                                        \
        friend TS_LANE vBool operator>(Name a, Name b) { return a >= b && a != b; }                                 \
        friend TS_LANE vBool operator<=(Name a, Name b) { return a < b || a == b; }                                 \
        friend TS_LANE Name operator<<(Name a, unsigned n) {                                                        \
            return Name(impl_::each(impl_::simple, [&](impl_::Int x) TS_OP { return x << int(n & 31); }, a.v));     \
        }                                                                                                           \
        friend TS_LANE Name operator<<(Name a, int n) { return a << unsigned(n); }                                  \
        TS_LANE Name& operator<<=(unsigned n) { return *this = *this << n; }                                        \
        TS_LANE Name& operator++() { return *this += Name(1); }                                                     \
        TS_LANE Name& operator--() { return *this -= Name(1); }                                                     \
    };
#define TS_INTEGER_OPERATOR(Name, op)                                                                               \
    friend TS_LANE Name operator op(Name a, Name b) {                                                               \
        return Name(impl_::each(impl_::simple, [](impl_::Int x, impl_::Int y) TS_OP { return x op y; }, a.v, b.v)); \
    }                                                                                                               \
    TS_LANE Name& operator op## = (Name b) { return *this = *this op b; }
TS_VECTOR_OF_INTEGERS(vInt, vUInt)
TS_VECTOR_OF_INTEGERS(vUInt, vInt)
TS_VECTOR_OF_INTEGERS(vSMag, vUInt) TS_LANE vInt::operator vUInt() const { return vUInt(v); }
TS_LANE vUInt::operator vInt() const { return vInt(v); }
TS_LANE vSMag::operator vUInt() const { return vUInt(v); }
#undef TS_VECTOR_OF_INTEGERS
#undef TS_INTEGER_OPERATOR
class vMag : public vUInt {
public:
    using vUInt::vUInt;
    vMag() = default;
    vMag(const vMag&) = default;
    vMag& operator=(const vMag&) = default;
    TS_LANE operator vInt() const { return vInt(v); }  // a magnitude is an integer of either kind
};
using vUInt16 = impl_::vNarrow<vMag>;
using vUInt8 = impl_::vNarrow<vUInt16>;
using vSMag16 = impl_::vNarrow<vSMag>;
using vSMag8 = impl_::vNarrow<vSMag16>;

template <class Type>
TS_LANE Type as(const impl_::vVal& value) { return Type(value.v); }
template <class Type>
TS_LANE Type reinterpret(const impl_::vVal& value) { return Type(value.v); }

TS_LANE vUInt operator>>(vUInt a, unsigned n) {
    return vUInt(
        impl_::each(impl_::simple, [&](impl_::Int x) TS_OP { return ts::sfpu::logical_right(x, int(n & 31)); }, a.v));
}
TS_LANE vUInt operator>>(vUInt a, int n) { return a >> unsigned(n); }
TS_LANE vUInt& operator>>=(vUInt& a, unsigned n) { return a = a >> n; }
#ifdef ARCH_BLACKHOLE
TS_LANE vInt operator>>(vInt a, unsigned n) {
    return vInt(impl_::each(impl_::simple, [&](impl_::Int x) TS_OP { return x >> int(n & 31); }, a.v));
}
TS_LANE vInt operator>>(vInt a, int n) { return a >> unsigned(n); }
TS_LANE vInt& operator>>=(vInt& a, unsigned n) { return a = a >> n; }
#endif

// Comparison with a zero that is written down reads sign and bits; with anything else, those of the difference.
#define TS_FLOAT_TEST(op, zero_test)                                                                              \
    TS_LANE vBool operator op(vFloat a, vFloat b) {                                                               \
        return impl_::test_floats([](auto x, auto y) TS_OP { return x op y; }, a.v, b.v);                         \
    }                                                                                                             \
    TS_LANE vBool operator op(vFloat a, float b) {                                                                \
        if (b != 0.0f) return a op vFloat(b);                                                                     \
        return vBool(impl_::each(impl_::simple, [](impl_::Int x) TS_OP { return impl_::Mask(zero_test); }, a.v)); \
    }
TS_FLOAT_TEST(<, x < 0)
TS_FLOAT_TEST(>=, x >= 0)
TS_FLOAT_TEST(>, x > 0)
TS_FLOAT_TEST(<=, x <= 0)
TS_FLOAT_TEST(==, x == 0)
TS_FLOAT_TEST(!=, x != 0)
#undef TS_FLOAT_TEST
TS_LANE vBool operator==(float a, vFloat b) {
    return b == a;
}
TS_LANE vBool operator!=(float a, vFloat b) { return b != a; }
TS_LANE vBool operator<(float a, vFloat b) { return b > a; }
TS_LANE vBool operator>(float a, vFloat b) { return b < a; }
TS_LANE vBool operator<=(float a, vFloat b) { return b >= a; }
TS_LANE vBool operator>=(float a, vFloat b) { return b <= a; }
}  // namespace sfpi
