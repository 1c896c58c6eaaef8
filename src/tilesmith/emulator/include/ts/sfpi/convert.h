// Conversions between vectors of numbers. Rounding is to nearest, half away from zero; stochastic rounding is taken for it.
#pragma once
#include "ts/sfpi/functions.h"

namespace sfpi {
struct RoundMode {
    enum Values {
        NearestAway,
        Nearest = NearestAway,
        NearestEven = NearestAway,
        NearestStochastic,
        Stochastic = NearestStochastic
    } value;
    constexpr RoundMode(Values v) : value(v) {}
};

namespace impl_ {
template <class To>
TS_LANE To from_float(const vFloat& x) {
    return on_floats<To>(
        [](auto f) TS_OP {
            if constexpr (std::is_same_v<To, vFloat16b>) return ts::sfpu::round_to_bf16(f).as_int();
            else if constexpr (std::is_same_v<To, vSMag16>) return ts::sfpu::to_smag16(f);
            else if constexpr (std::is_same_v<To, vSMag8>) return ts::sfpu::to_smag8(f);
            else if constexpr (std::is_same_v<To, vUInt16>) return ts::sfpu::to_uint16(f);
            else {
                static_assert(std::is_same_v<To, vUInt8>, "the vector unit cannot convert a float to this type");
                return ts::sfpu::to_uint8(f);
            }
        },
        x);
}
TS_LANE vFloat from_sign_magnitude(const vVal& x) {
    return on_words<vFloat>([](Int i) TS_OP { return ts::sfpu::from_sign_magnitude<Number>(i).as_int(); }, x);
}
TS_LANE vSMag to_sign_magnitude(const vVal& x) {
    return on_words<vSMag>([](Int i) TS_OP { return ts::sfpu::swap_sign_magnitude(i); }, x);
}
}  // namespace impl_

template <class To, class From>
TS_LANE To convert(const From& x,
                                                 [[maybe_unused]] RoundMode mode = RoundMode::NearestStochastic) {
    if constexpr (std::is_same_v<To, From> || (std::is_same_v<To, vFloat> && std::is_base_of_v<vFloat, From>)) {
        return To(x.v);
    } else if constexpr (std::is_same_v<From, vProduct>) {
        return convert<To>(vFloat(x), mode);
    } else if constexpr (std::is_base_of_v<vFloat, From>) {
        return impl_::from_float<To>(x);
    } else if constexpr (std::is_same_v<From, vInt>) {
        if constexpr (std::is_same_v<To, vSMag>) return impl_::to_sign_magnitude(x);
        else return convert<To>(impl_::to_sign_magnitude(x), mode);
    } else if constexpr (std::is_same_v<To, vInt>) {
        if constexpr (std::is_base_of_v<vSMag, From>) return as<vInt>(impl_::to_sign_magnitude(x));
        else return as<vInt>(x);
    } else {
        return convert<To>(impl_::from_sign_magnitude(x), mode);
    }
}

// Older names. Integers here are sign and magnitude, whatever their type says.
TS_LANE vFloat int32_to_float(const impl_::vVal& x, RoundMode = RoundMode::Nearest) {
    return impl_::from_sign_magnitude(x);
}
TS_LANE vFloat int32_to_float(const impl_::vVal& x, int) { return impl_::from_sign_magnitude(x); }
template <class Mode = int> TS_LANE vFloat float_to_fp16b(vFloat x, Mode = {}) { return impl_::from_float<vFloat16b>(x); }
template <class Mode = int> TS_LANE vUInt float_to_uint16(vFloat x, Mode = {}) { return impl_::from_float<vUInt16>(x); }
template <class Mode = int> TS_LANE vInt float_to_int16(vFloat x, Mode = {}) {
    return as<vInt>(impl_::from_float<vSMag16>(x));
}
template <class Mode = int> TS_LANE vUInt float_to_uint8(vFloat x, Mode = {}) { return impl_::from_float<vUInt8>(x); }
template <class Mode = int> TS_LANE vInt float_to_int8(vFloat x, Mode = {}) {
    return as<vInt>(impl_::from_float<vSMag8>(x));
}

// Scalars that an instruction carries as bfloat16: cut, not rounded.
struct sFloat16b {
    float value;
    constexpr explicit sFloat16b(float f) : value(ts::sfpu::as_bf16(f)) {}
    constexpr explicit sFloat16b(uint32_t pattern) : value(__builtin_bit_cast(float, pattern << 16)) {}
    TS_LANE operator vFloat() const { return vFloat(value); }
};
using s2vFloat16b = sFloat16b;
}  // namespace sfpi
