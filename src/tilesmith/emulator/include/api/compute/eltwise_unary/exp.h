// exp_tile: accurate by default, a fast form on request.
#pragma once
#include "ts/sfpu/exponential.h"
#include "ts/sfpu/state.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };

namespace p_sfpu {
inline constexpr uint32_t kCONST_1_FP16B = 0x3f80;
}

template <bool approx = false, uint32_t scale = 0x3F800000,
          InputClamping input_clamping = InputClamping::ClampToNegative,
          bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile_init(TS_AT) {
    ts::sfpu::initialise("exp", at);
    if (ts_role() == ts::Role::math) ts::sfpu::set_constant(0, scale);
}

template <bool approx = false, bool scale_en = false, InputClamping input_clamping = InputClamping::ClampToNegative,
          int iterations = 8, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile(uint32_t idst, ts::sfpu::ModeArgument vector_mode = VectorMode::RC,
                   uint16_t scale = p_sfpu::kCONST_1_FP16B, TS_AT) {
    constexpr bool clamp = input_clamping == InputClamping::ClampToNegative;
    const float factor = __builtin_bit_cast(float, approx ? ts::sfpu::constant(0) : uint32_t(scale) << 16);
    ts::sfpu::map_floats({"exp", at, vector_mode, iterations}, idst, [=](auto x) TS_OP {
        return ts::sfpu::exp_form<approx, scale_en, clamp, is_fp32_dest_acc_en>(x, factor);
    });
}

// Variants for the pack role, which owns the committed half of DST.
template <bool approx = false, uint32_t scale = 0x3F800000,
          InputClamping input_clamping = InputClamping::ClampToNegative,
          bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_packthread_tile_init(TS_AT) {
    if (ts_role() == ts::Role::pack) ts::sfpu::set_constant(3, scale);
}

template <bool approx = false, bool scale_en = false, InputClamping input_clamping = InputClamping::ClampToNegative,
          int iterations = 8, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_packthread_tile(uint32_t idst, ts::sfpu::ModeArgument vector_mode = VectorMode::RC,
                              uint16_t scale = p_sfpu::kCONST_1_FP16B, TS_AT) {
    constexpr bool clamp = input_clamping == InputClamping::ClampToNegative;
    const float factor = __builtin_bit_cast(float, approx ? ts::sfpu::constant(3) : uint32_t(scale) << 16);
    ts::sfpu::map_floats({"exp", at, vector_mode, iterations, ts::sfpu::On::pack}, idst, [=](auto x) TS_OP {
        return ts::sfpu::exp_form<approx, scale_en, clamp, is_fp32_dest_acc_en>(x, factor);
    });
}
}  // namespace ckernel
