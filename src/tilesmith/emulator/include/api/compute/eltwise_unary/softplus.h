// softplus_tile.
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void softplus_tile_init(TS_AT) { ts::sfpu::initialise("softplus", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void softplus_tile(uint32_t idst, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold, TS_AT) {
    ts::sfpu::map_floats({"softplus", at}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        return ts::sfpu::softplus<is_fp32_dest_acc_en>(
            x, ts::sfpu::scalar<F>(beta), ts::sfpu::scalar<F>(beta_reciprocal), ts::sfpu::scalar<F>(threshold));
    });
}

// Variants for the pack role, which owns the committed half of DST. They need no set-up of the math role.
ALWI void softplus_tile_init_pack(TS_AT) {}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void softplus_tile_pack(uint32_t idst, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold, TS_AT) {
    ts::sfpu::map_floats({"softplus", at, VectorMode::RC, 8, ts::sfpu::On::pack}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        return ts::sfpu::softplus<is_fp32_dest_acc_en>(
            x, ts::sfpu::scalar<F>(beta), ts::sfpu::scalar<F>(beta_reciprocal), ts::sfpu::scalar<F>(threshold));
    });
}
}  // namespace ckernel
