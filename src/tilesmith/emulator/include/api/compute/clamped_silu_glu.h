// clamped_silu_glu_tile: a gated unit with limits.
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void clamped_silu_glu_tile_init(TS_AT) { ts::sfpu::initialise("clamped_silu_glu", at); }

ALWI void clamped_silu_glu_tile(uint32_t idst0, uint32_t idst1, uint32_t odst,
                                ts::sfpu::ModeArgument vector_mode = VectorMode::RC, TS_AT) {
    ts::sfpu::map_floats({"clamped_silu_glu", at, vector_mode}, idst0, idst1, odst,
                         [](auto x, auto y) TS_OP { return ts::sfpu::clamped_silu_glu<ts::sfpu::dst_is_wide>(x, y); });
}
}  // namespace ckernel
