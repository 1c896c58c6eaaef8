// recip_tile: 1/x.
#pragma once
#include "ts/sfpu/reciprocal.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
enum class ReciprocalDestAcc { BF16, FP32 };
enum class ReciprocalApproxMode { Default, Precise, Approximate };

template <bool legacy_compat = true>
ALWI void recip_tile_init(TS_AT) {
    ts::sfpu::initialise("recip", at);
}

template <bool legacy_compat = true>
ALWI void recip_tile(uint32_t idst, ts::sfpu::ModeArgument vector_mode = VectorMode::RC, TS_AT) {
    ts::sfpu::map_floats({"recip", at, vector_mode}, idst, [](auto x) TS_OP {
        if constexpr (legacy_compat) return ts::sfpu::recip_compatible<APPROX != 0, ts::sfpu::dst_is_wide>(x);
        return ts::sfpu::recip<APPROX != 0, ts::sfpu::dst_is_wide>(x);
    });
}

template <ReciprocalDestAcc dest_acc, ReciprocalApproxMode approximation = ReciprocalApproxMode::Default>
ALWI void recip_tile_init(TS_AT) {
    ts::sfpu::initialise("recip", at);
}

template <ReciprocalDestAcc dest_acc, ReciprocalApproxMode approximation = ReciprocalApproxMode::Default>
ALWI void recip_tile(uint32_t idst, ts::sfpu::ModeArgument vector_mode = VectorMode::RC, TS_AT) {
    constexpr bool approximate = approximation == ReciprocalApproxMode::Default
                                     ? APPROX != 0
                                     : approximation == ReciprocalApproxMode::Approximate;
    constexpr bool wide = dest_acc == ReciprocalDestAcc::FP32;
    ts::sfpu::map_floats({"recip", at, vector_mode}, idst,
                         [](auto x) TS_OP { return ts::sfpu::recip<approximate, wide>(x); });
}
}  // namespace ckernel
