// exp_tile: accurate by default, a fast form on request.
#pragma once
#include "ts/sfpu/exponential.h"
#include "ts/sfpu/state.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };

namespace detail {
// Older kernels give a flag where the clamping stands now, or the scale one place later than now.
template <class Clamping>
constexpr bool clamps(Clamping clamping) {
    if constexpr (std::is_same_v<Clamping, InputClamping>) return clamping == InputClamping::ClampToNegative;
    return true;
}
template <class Clamping>
constexpr uint32_t exp_scale(uint32_t scale, Clamping clamping) {
    constexpr uint32_t one = 0x3F800000;
    if (scale > 1) return scale;
    if constexpr (std::is_integral_v<Clamping>) return clamping > 1 ? static_cast<uint32_t>(clamping) : one;
    return one;
}
}  // namespace detail

namespace p_sfpu {
inline constexpr uint32_t kCONST_1_FP16B = 0x3f80;
}

template <bool approx = false, uint32_t scale = 0x3F800000, auto input_clamping = InputClamping::ClampToNegative,
          bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile_init(TS_AT) {
    ts::sfpu::initialise("exp", at);
    if (ts_role() == ts::Role::math) ts::sfpu::set_constant(0, detail::exp_scale(scale, input_clamping));
}

template <bool approx = false, bool scale_en = false, auto input_clamping = InputClamping::ClampToNegative,
          int iterations = 8, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile(uint32_t idst, ts::sfpu::ModeArgument vector_mode = VectorMode::RC,
                   uint16_t scale = p_sfpu::kCONST_1_FP16B, TS_AT) {
    constexpr bool clamp = detail::clamps(input_clamping);
    const float factor = __builtin_bit_cast(float, approx ? ts::sfpu::constant(0) : uint32_t(scale) << 16);
    ts::sfpu::map_floats({approx ? "exp:exp_approx" : "exp", at, vector_mode, iterations}, idst, [=](auto x) TS_OP {
        return ts::sfpu::exp_form<approx, scale_en, clamp, is_fp32_dest_acc_en>(x, factor);
    });
}

// Variants for the pack role, which owns the committed half of DST.
template <bool approx = false, uint32_t scale = 0x3F800000, auto input_clamping = InputClamping::ClampToNegative,
          bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_packthread_tile_init(TS_AT) {
    if (ts_role() == ts::Role::pack) ts::sfpu::set_constant(3, detail::exp_scale(scale, input_clamping));
}

template <bool approx = false, bool scale_en = false, auto input_clamping = InputClamping::ClampToNegative,
          int iterations = 8, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_packthread_tile(uint32_t idst, ts::sfpu::ModeArgument vector_mode = VectorMode::RC,
                              uint16_t scale = p_sfpu::kCONST_1_FP16B, TS_AT) {
    constexpr bool clamp = detail::clamps(input_clamping);
    const float factor = __builtin_bit_cast(float, approx ? ts::sfpu::constant(3) : uint32_t(scale) << 16);
    ts::sfpu::map_floats(
        {approx ? "exp:exp_approx" : "exp", at, vector_mode, iterations, ts::sfpu::On::pack}, idst,
        [=](auto x) TS_OP { return ts::sfpu::exp_form<approx, scale_en, clamp, is_fp32_dest_acc_en>(x, factor); });
}
}  // namespace ckernel
