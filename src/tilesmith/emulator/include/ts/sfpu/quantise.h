// Quantisation: scale and shift by a zero point, then round into a small integer, and back.
#pragma once
#include "ts/formats.h"
#include "ts/sfpu/state.h"
#include "ts/sfpu/tile.h"

namespace ts::sfpu {
// The zero point arrives as float bits. Signed bytes are rounded as unsigned ones moved up by 128.
TS_NO_CHECK inline void begin_quantisation(const char* family, uint32_t zero_point, DataFormat to, At at) {
    initialise(family, at);
    if (ts_role() != Role::math) return;
    set_constant(0, zero_point);
    set_constant(1, static_cast<uint32_t>(to));
}

namespace detail {
TS_LANE Int round_for(Real<true> x, DataFormat to) {
    if (to == DataFormat::UInt8) return to_uint8(x);
    if (to == DataFormat::Int8) {
        x = x + Real<true>(128.0f);
        return to_uint8(select(negative(x), Real<true>(0.0f), x)) ^ 0x80;
    }
    return swap_sign_magnitude(to_smag8(x));
}
TS_LANE Real<true> integer_input(Int i, bool signed_bytes) {
    return from_int<Real<true>>(signed_bytes ? ((i ^ 0x80) & 0xff) - 128 : i);
}
}  // namespace detail

template <bool FromInteger, bool FromSignedBytes>
TS_NO_CHECK inline void quantise(const Call& call, uint32_t a, uint32_t scale, uint32_t out) {
    const auto zero_point = Real<true>(__builtin_bit_cast(float, constant(0)));
    const auto to = static_cast<DataFormat>(constant(1));
    map_words(call, a, scale, out, [=](Int x, Int s) TS_OP {
        const auto value = FromInteger ? detail::integer_input(x, FromSignedBytes) : Real<true>::from_bits(x);
        return detail::round_for(mad(value, Real<true>::from_bits(s), zero_point), to);
    });
}

template <bool FromSignedBytes>
TS_NO_CHECK inline void dequantise(const Call& call, uint32_t a, uint32_t scale, uint32_t out) {
    const auto zero_point = Real<true>(__builtin_bit_cast(float, constant(0)));
    map_words(call, a, scale, out, [=](Int x, Int s) TS_OP {
        const Real<true> r = (detail::integer_input(x, FromSignedBytes) + zero_point) * Real<true>::from_bits(s);
        return r.as_int();
    });
}
}  // namespace ts::sfpu
