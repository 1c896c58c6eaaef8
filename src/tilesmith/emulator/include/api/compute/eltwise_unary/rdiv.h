// rdiv_tile: a number divided by the tile.
#pragma once
#include "ts/sfpu/simple.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
enum class RoundingMode { None = 0, Trunc = 1, Floor = 2 };

ALWI void rdiv_tile_init(TS_AT) { ts::sfpu::initialise("rdiv", at); }

template <RoundingMode rounding_mode = RoundingMode::None, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rdiv_tile(uint32_t idst, uint32_t value, ts::sfpu::ModeArgument vector_mode = VectorMode::RC, TS_AT) {
    ts::sfpu::map_floats({"rdiv", at, vector_mode}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        constexpr int steps = APPROX ? 0 : is_fp32_dest_acc_en ? 2 : 1;
        constexpr bool unrounded = APPROX || is_fp32_dest_acc_en;
        const F r = ts::sfpu::narrow<unrounded>(ts::sfpu::reciprocal<steps>(x)) * ts::sfpu::scalar<F>(value);
        if constexpr (rounding_mode == RoundingMode::Trunc) return ts::sfpu::truncate(r);
        if constexpr (rounding_mode == RoundingMode::Floor) return ts::sfpu::floor(r);
        return r;
    });
}
}  // namespace ckernel
