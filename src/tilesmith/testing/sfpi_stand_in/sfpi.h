// Stands in for the header of the same name that comes with the vendor's compiler: declarations only.
//
// The vendor's headers compute on the vector unit with classes whose operators are built-in functions of that
// compiler. Here every vector type takes any other and every number, and nothing has a body: a host compiler can
// read the headers, and sees every mistake that is not about vector types.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lltt.h"

#define sfpi_inline inline

namespace sfpi {

struct raw_register {};

template <int Kind>
struct vec {
    constexpr vec() {}
    template <typename T>
    constexpr vec(const T&) {}
    template <typename T>
    constexpr vec(const T&, int) {}
    template <typename T>
    const vec& operator=(const T&) const {
        return *this;
    }
    const vec& operator=(const vec&) const { return *this; }
    vec(const vec&) = default;
    raw_register get() const;
    vec operator-() const;
    vec operator~() const;
    bool operator!() const;
    template <typename T> const vec& operator+=(const T&) const;
    template <typename T> const vec& operator-=(const T&) const;
    template <typename T> const vec& operator*=(const T&) const;
    template <typename T> const vec& operator&=(const T&) const;
    template <typename T> const vec& operator|=(const T&) const;
    template <typename T> const vec& operator^=(const T&) const;
    template <typename T> const vec& operator<<=(const T&) const;
    template <typename T> const vec& operator>>=(const T&) const;
    const vec& operator++(int) const;
    const vec& operator++() const;
    const vec& operator--(int) const;
};

using vFloat = vec<0>;
using vInt = vec<1>;
using vUInt = vec<2>;
using vSMag = vec<3>;
using vMag = vec<4>;
using vFloat16a = vec<5>;
using vFloat16b = vec<6>;
using vUInt16 = vec<7>;
using vUInt8 = vec<8>;
using vSMag16 = vec<9>;
using vSMag8 = vec<10>;
using vLut8si = vec<11>;
using vLut16ss = vec<12>;
using vLut16ii = vec<13>;
using sFloat16a = vec<14>;
using sFloat16b = vec<15>;
using vBool = vec<16>;

enum class DataLayout { Default, F32, FSrcB, F16a, F16b, I32, I16, I8, U32, U16, U8, SM32, SM16, SM8, M32 };
enum class RoundMode { Nearest, NearestAway, NearestEven, NearestStochastic, Zero };
enum class ExponentMode { Biased, Unbiased, NoDebias };
enum class MantissaMode { ImplicitOne, Raw };
enum class ShiftMode { Arithmetic, Logical };
enum class LutSign { Retain, Update };
enum class FractionalHalf { High, Low };
enum class LRegs : std::uint8_t { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7, LRegCount };

// A register of the destination, or of the vector unit: read and written as any vector type.
struct reg {
    template <int Kind> operator vec<Kind>() const;
    operator raw_register() const;
    template <typename T> void operator=(const T&) const;
    void operator=(const reg&) const;
    template <DataLayout = DataLayout::Default> reg mode(int = -1) const;
    reg in_use(bool = true) const;
    vFloat operator-() const;
};

struct reg_file {
    reg operator[](int) const;
    reg operator[](LRegs) const;
    void operator++() const;
    void operator++(int) const;
    void operator+=(int) const;
};

struct lreg_pressure {
    lreg_pressure() {}
};

constexpr reg_file dst_reg, l_reg;
constexpr vFloat vConst0, vConst1, vConstNeg1, vConst0p8373, vConstFloatPrgm0, vConstFloatPrgm1, vConstFloatPrgm2;
constexpr vInt vConstIntPrgm0, vConstIntPrgm1, vConstIntPrgm2, vConstTileId;

template <typename T> struct is_vector : std::false_type {};
template <int Kind> struct is_vector<vec<Kind>> : std::true_type {};
template <> struct is_vector<reg> : std::true_type {};

// The vector type that an operator gives: that of the first operand that is a vector.
template <typename A, typename B> struct result_of {
    using type = B;
};
template <int Kind, typename B> struct result_of<vec<Kind>, B> {
    using type = vec<Kind>;
};
template <int Kind> struct result_of<reg, vec<Kind>> {
    using type = vec<Kind>;
};
template <typename B> struct result_of<reg, B> {
    using type = vFloat;
};
template <> struct result_of<reg, reg> {
    using type = vFloat;
};
template <typename A, typename B>
using result = std::enable_if_t<is_vector<A>::value || is_vector<B>::value, typename result_of<A, B>::type>;
template <typename A, typename B>
using truth = std::enable_if_t<is_vector<A>::value || is_vector<B>::value, vBool>;

template <typename A, typename B> result<A, B> operator+(const A&, const B&);
template <typename A, typename B> result<A, B> operator-(const A&, const B&);
template <typename A, typename B> result<A, B> operator*(const A&, const B&);
template <typename A, typename B> result<A, B> operator&(const A&, const B&);
template <typename A, typename B> result<A, B> operator|(const A&, const B&);
template <typename A, typename B> result<A, B> operator^(const A&, const B&);
template <typename A, typename B> result<A, B> operator<<(const A&, const B&);
template <typename A, typename B> result<A, B> operator>>(const A&, const B&);
template <typename A, typename B> truth<A, B> operator==(const A&, const B&);
template <typename A, typename B> truth<A, B> operator!=(const A&, const B&);
template <typename A, typename B> truth<A, B> operator<(const A&, const B&);
template <typename A, typename B> truth<A, B> operator<=(const A&, const B&);
template <typename A, typename B> truth<A, B> operator>(const A&, const B&);
template <typename A, typename B> truth<A, B> operator>=(const A&, const B&);
template <typename A, typename B> truth<A, B> operator&&(const A&, const B&);
template <typename A, typename B> truth<A, B> operator||(const A&, const B&);

template <typename T, typename... A> T as(const A&...);
template <typename T, typename... A> T convert(const A&...);
template <typename T, RoundMode, typename... A> T convert(const A&...);
#define SFPI_FUNCTION(type, name)                          \
    template <typename... A> type name(const A&...);       \
    template <auto, typename... A> type name(const A&...); \
    template <auto, auto, typename... A> type name(const A&...)
SFPI_FUNCTION(vFloat, abs);
SFPI_FUNCTION(vFloat, setsgn);
SFPI_FUNCTION(vFloat, setsgn2);
SFPI_FUNCTION(vFloat, setexp);
SFPI_FUNCTION(vFloat, setman);
SFPI_FUNCTION(vFloat, addexp);
SFPI_FUNCTION(vFloat, copysgn);
SFPI_FUNCTION(vFloat, copyexp);
SFPI_FUNCTION(vFloat, copyman);
SFPI_FUNCTION(vFloat, min);
SFPI_FUNCTION(vFloat, max);
SFPI_FUNCTION(vFloat, clamp);
SFPI_FUNCTION(vFloat, symmetric_clamp);
SFPI_FUNCTION(vFloat, approx_recip);
SFPI_FUNCTION(vFloat, approx_exp);
SFPI_FUNCTION(vFloat, nearby);
SFPI_FUNCTION(vFloat, lut);
SFPI_FUNCTION(vFloat, lut2);
SFPI_FUNCTION(vFloat, lut2_sign);
SFPI_FUNCTION(vInt, exexp);
SFPI_FUNCTION(vInt, exman);
SFPI_FUNCTION(vInt, exman8);
SFPI_FUNCTION(vInt, exman9);
SFPI_FUNCTION(vInt, shft);
SFPI_FUNCTION(vInt, lz);
SFPI_FUNCTION(vInt, fractional_mul);
SFPI_FUNCTION(vInt, reinterpret);
SFPI_FUNCTION(vBool, is_inf);
SFPI_FUNCTION(vBool, is_nan);
SFPI_FUNCTION(vBool, is_finite);
SFPI_FUNCTION(vBool, is_pos);
SFPI_FUNCTION(vBool, is_neg);
struct Ordered {
    vFloat first;
    vFloat second;
};
SFPI_FUNCTION(Ordered, min_max);
SFPI_FUNCTION(void, vec_min_max);
SFPI_FUNCTION(void, vec_swap);
SFPI_FUNCTION(void, subvec_transp);
SFPI_FUNCTION(vFloat, subvec_shflror1);
SFPI_FUNCTION(vFloat, subvec_shflshr1);

SFPI_FUNCTION(void, when);
#undef SFPI_FUNCTION

// Modes of instructions. Their values are the compiler's; 0 fits every field.
enum : unsigned {
    SFP_DESTREG_STRIDE = 2,
    SFPABS_MOD1_INT = 0,
    SFPAND_MOD1_USE_VB = 0,
    SFPARECIP_MOD1_RECIP = 0,
    SFPCAST_MOD1_INT32_TO_FP32_RNE = 0,
    SFPCAST_MOD1_SM32_TO_FP32_RNE = 0,
    SFPCFG_IMM16_IS_VALUE = 0,
    SFPCONFIG_MOD_SET_LREG11 = 0,
    SFPENCC_IMM12_BOTH = 0,
    SFPENCC_MOD1_EI_RI = 0,
    SFPENCC_MOD1_EU_R1 = 0,
    SFPEXEXP_MOD1_SET_CC_COMP_EXP = 0,
    SFPEXEXP_MOD1_SET_CC_SGN_EXP = 0,
    SFPEXMAN_MOD1_PAD9 = 0,
    SFPGT_MOD1_SET_ALL_ONES = 0,
    SFPGT_MOD1_SET_CC = 0,
    SFPGT_MOD1_SET_VD = 0,
    SFPIADD_MOD1_ARG_2SCOMP_LREG_DST = 0,
    SFPIADD_MOD1_ARG_IMM = 0,
    SFPIADD_MOD1_ARG_LREG_DST = 0,
    SFPIADD_MOD1_CC_GTE0 = 0,
    SFPIADD_MOD1_CC_LT0 = 0,
    SFPIADD_MOD1_CC_NONE = 0,
    SFPIADD_MOD_NOFLAG = 0,
    SFPLE_MOD1_SET_CC = 0,
    SFPLE_MOD1_SET_VD = 0,
    SFPLOADI_MOD0_FLOATA = 0,
    SFPLOADI_MOD0_FLOATB = 0,
    SFPLOADI_MOD0_LOWER = 0,
    SFPLOADI_MOD0_SHORT = 0,
    SFPLOADI_MOD0_UPPER = 0,
    SFPLOADI_MOD0_USHORT = 0,
    SFPLOAD_MOD0_FMT_FP16B = 0,
    SFPLOAD_MOD0_FMT_SRCB = 0,
    SFPLZ_MOD1_CC_NE0 = 0,
    SFPMAD_MOD1_INDIRECT_VA = 0,
    SFPMAD_MOD1_INDIRECT_VD = 0,
    SFPMAD_MOD1_NEGATE_VA = 0,
    SFPMAD_MOD1_NEGATE_VC = 0,
    SFPMAD_MOD1_OFFSET_NONE = 0,
    SFPMOV_MOD1_NEGATE = 0,
    SFPMUL24_MOD1_LOWER = 0,
    SFPMUL24_MOD1_UPPER = 0,
    SFPSETCC_MOD1_LREG_EQ0 = 0,
    SFPSETCC_MOD1_LREG_GTE0 = 0,
    SFPSETCC_MOD1_LREG_LT0 = 0,
    SFPSETCC_MOD1_LREG_NE0 = 0,
    SFPSETSGN_MOD1_ARG_IMM = 0,
    SFPSHFT2_MOD1_SHFT_IMM = 0,
    SFPSHFT2_MOD1_SHFT_LREG = 0,
    SFPSHFT2_MOD1_SUBVEC_SHFLROR1 = 0,
    SFPSHFT2_MOD1_SUBVEC_SHFLSHR1 = 0,
    SFPSHFT_MOD1_ARG_IMM = 0,
    SFPSHFT_MOD1_ARG_IMM_USE_VC = 0,
    SFPSHFT_MOD1_SHIFT_IMM = 0,
    SFPSTOCHRND_MOD1_FP32_TO_FP16B = 0,
    SFPSTOCHRND_MOD1_FP32_TO_INT16 = 0,
    SFPSTOCHRND_MOD1_FP32_TO_INT8 = 0,
    SFPSTOCHRND_MOD1_FP32_TO_UINT16 = 0,
    SFPSTOCHRND_MOD1_FP32_TO_UINT8 = 0,
    SFPSTOCHRND_RND_EVEN = 0,
    SFPSTORE_MOD0_FMT_FP16B = 0,
    SFPSTORE_MOD0_FMT_LO16 = 0,
    SFPSTORE_MOD0_FMT_SRCB = 0,
    SFPSWAP_MOD1_SWAP = 0,
    SFPSWAP_MOD1_VEC_MIN_MAX = 0,
};

}  // namespace sfpi

template <typename... A> sfpi::vFloat __builtin_rvtt_sfpmad(const A&...);
template <typename... A> sfpi::vFloat __builtin_rvtt_sfpgt(const A&...);
template <typename... A> sfpi::vInt __builtin_rvtt_sfpiadd_i(const A&...);
template <typename... A> void __builtin_rvtt_ttreplay(const A&...);

// clang-format off
#define v_if(condition)     { { sfpi::when(condition);
#define v_elseif(condition) } { sfpi::when(condition);
#define v_else              } {
#define v_endif             } }
#define v_block             {
#define v_and(condition)    sfpi::when(condition)
#define v_endblock          }
// clang-format on
