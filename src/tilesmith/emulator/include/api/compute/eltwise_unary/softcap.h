// softcap_tile: beta tanh(x / beta).
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void softcap_tile_init(TS_AT) { ts::sfpu::initialise("softcap", at); }

ALWI void softcap_tile(uint32_t idst, uint32_t beta, uint32_t beta_recip, TS_AT) {
    ts::sfpu::map_floats({"softcap", at}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        const F r = ts::sfpu::softcap(x, ts::sfpu::scalar<F>(beta), ts::sfpu::scalar<F>(beta_recip));
        return ts::sfpu::narrow<ts::sfpu::dst_is_wide>(r);
    });
}
}  // namespace ckernel
