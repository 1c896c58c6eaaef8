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

template <bool approx = false, uint32_t scale = 0x3F800000, InputClamping input_clamping = InputClamping::ClampToNegative,
          bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile_init(TS_AT) {
    ts::sfpu::initialise("exp", at);
    ts::sfpu::set_constant(0, scale);
}

template <bool approx = false, bool scale_en = false, InputClamping input_clamping = InputClamping::ClampToNegative,
          int iterations = 8, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile(uint32_t idst, ts::sfpu::ModeArgument vector_mode = VectorMode::RC,
                   uint16_t scale = p_sfpu::kCONST_1_FP16B, TS_AT) {
    constexpr bool clamp = input_clamping == InputClamping::ClampToNegative;
    const float factor = __builtin_bit_cast(float, approx ? ts::sfpu::constant(0) : uint32_t(scale) << 16);
    ts::sfpu::map_floats({"exp", at, vector_mode, iterations}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        if constexpr (approx) return ts::sfpu::exp_approximate<clamp>(x, factor);
        if constexpr (scale_en) x = x * F(factor);
        if constexpr (is_fp32_dest_acc_en) return ts::sfpu::exp_wide(x);
        return ts::sfpu::exp_narrow<clamp>(x);
    });
}
}  // namespace ckernel
