// softcap_tile: beta tanh(x / beta).
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void softcap_tile_init(TS_AT) { ts::sfpu::initialise("softcap", at); }

ALWI void softcap_tile(uint32_t idst, uint32_t beta, uint32_t beta_recip, TS_AT) {
    ts::sfpu::map_floats({"softcap", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::narrow<ts::sfpu::dst_is_wide>(ts::sfpu::softcap(x, ts::sfpu::scalar<decltype(x)>(beta), ts::sfpu::scalar<decltype(x)>(beta_recip)));
    });
}
}  // namespace ckernel
