// fmod_tile: the rest of a division by a number, with the sign of the dividend.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/remainder.h"
#include "ts/sfpu/state.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void fmod_tile_init(uint32_t param0, uint32_t param1, TS_AT) {
    ts::sfpu::initialise("fmod", at);
    if (ts_role() != ts::Role::math) return;
    ts::sfpu::set_constant(0, param0);
    ts::sfpu::set_constant(1, param1);
}

ALWI void fmod_tile(uint32_t idst, TS_AT) {
    const uint32_t divisor = ts::sfpu::constant(0), inverse = ts::sfpu::constant(1);
    ts::sfpu::map_floats({"fmod", at}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        return ts::sfpu::fmod_by_scalar(x, ts::sfpu::scalar<F>(divisor), ts::sfpu::scalar<F>(inverse));
    });
}
}  // namespace ckernel
