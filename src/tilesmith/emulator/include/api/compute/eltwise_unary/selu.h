// selu_tile.
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void selu_tile_init(TS_AT) { ts::sfpu::initialise("selu", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void selu_tile(uint32_t idst, uint32_t scale, uint32_t alpha, TS_AT) {
    const float product = __builtin_bit_cast(float, scale) * __builtin_bit_cast(float, alpha);
    ts::sfpu::map_floats({"selu", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::selu<is_fp32_dest_acc_en>(x, ts::sfpu::scalar<decltype(x)>(scale), decltype(x)(product));
    });
}

// Variants for the pack role, which owns the committed half of DST. They need no set-up of the math role.
ALWI void selu_tile_init_pack(TS_AT) {}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void selu_tile_pack(uint32_t idst, uint32_t scale, uint32_t alpha, TS_AT) {
    const float product = __builtin_bit_cast(float, scale) * __builtin_bit_cast(float, alpha);
    ts::sfpu::map_floats({"selu", at, VectorMode::RC, 8, ts::sfpu::On::pack}, idst, [=](auto x) TS_OP {
        return ts::sfpu::selu<is_fp32_dest_acc_en>(x, ts::sfpu::scalar<decltype(x)>(scale), decltype(x)(product));
    });
}
}  // namespace ckernel
