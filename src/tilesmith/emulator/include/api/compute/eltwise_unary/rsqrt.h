// rsqrt_tile: 1/sqrt(x).
#pragma once
#include "ts/sfpu/root.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
enum class RsqrtMode { Default, Fast };

template <bool legacy_compat = false>
ALWI void rsqrt_tile_init(TS_AT) {
    ts::sfpu::initialise("rsqrt", at);
}

template <bool legacy_compat = false, bool FAST_APPROX = false>
ALWI void rsqrt_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"rsqrt", at}, idst, [](auto x) TS_OP {
        constexpr bool wide = ts::sfpu::dst_is_wide;
        if constexpr (legacy_compat) return ts::sfpu::inverse_root_compatible<APPROX != 0, wide>(x);
        return ts::sfpu::narrow<wide>(ts::sfpu::square_root<APPROX != 0, true, FAST_APPROX>(x));
    });
}

template <RsqrtMode mode, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsqrt_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"rsqrt", at}, idst, [](auto x) TS_OP {
        constexpr bool fast = mode == RsqrtMode::Fast;
        return ts::sfpu::narrow<is_fp32_dest_acc_en>(ts::sfpu::square_root<APPROX != 0, true, fast>(x));
    });
}
}  // namespace ckernel
