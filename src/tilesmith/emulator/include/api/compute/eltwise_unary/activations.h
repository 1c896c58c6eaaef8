// hardsigmoid, softsign, celu, softshrink and hardshrink.
#pragma once
#include "ts/sfpu/activations.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void hardsigmoid_tile_init(TS_AT) { ts::sfpu::initialise("hardsigmoid", at); }

ALWI void hardsigmoid_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"hardsigmoid", at}, idst, [](auto x) TS_OP { return ts::sfpu::hardsigmoid(x); });
}

ALWI void softsign_tile_init(TS_AT) { ts::sfpu::initialise("softsign", at); }

ALWI void softsign_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"softsign", at}, idst, [](auto x) TS_OP { return ts::sfpu::softsign<APPROX != 0>(x); });
}

ALWI void celu_tile_init(TS_AT) { ts::sfpu::initialise("celu", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void celu_tile(uint32_t idst, uint32_t alpha, uint32_t alpha_recip, TS_AT) {
    ts::sfpu::map_floats({"celu", at}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        return ts::sfpu::celu<is_fp32_dest_acc_en>(x, ts::sfpu::scalar<F>(alpha), ts::sfpu::scalar<F>(alpha_recip));
    });
}

ALWI void softshrink_tile_init(TS_AT) { ts::sfpu::initialise("softshrink", at); }

ALWI void softshrink_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"softshrink", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::softshrink(x, ts::sfpu::scalar<decltype(x)>(param0)); });
}

ALWI void hardshrink_tile_init(TS_AT) { ts::sfpu::initialise("hardshrink", at); }

ALWI void hardshrink_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"hardshrink", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::hardshrink(x, ts::sfpu::scalar<decltype(x)>(param0)); });
}

// Variants for the pack role, which owns the committed half of DST. They need no set-up of the math role.
ALWI void hardsigmoid_tile_init_pack(TS_AT) {}

ALWI void hardsigmoid_tile_pack(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"hardsigmoid", at, VectorMode::RC, 8, ts::sfpu::On::pack}, idst,
                         [](auto x) TS_OP { return ts::sfpu::hardsigmoid(x); });
}
}  // namespace ckernel
