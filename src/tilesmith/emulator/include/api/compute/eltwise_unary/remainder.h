// remainder_tile: the rest of a division by a number, with the sign of the divisor.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/remainder.h"
#include "ts/sfpu/state.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void remainder_tile_init(uint32_t param0, uint32_t param1, TS_AT) {
    ts::sfpu::initialise("remainder", at);
    if (ts_role() != ts::Role::math) return;
    ts::sfpu::set_constant(0, param0);
    ts::sfpu::set_constant(1, param1);
}

ALWI void remainder_tile(uint32_t idst, TS_AT) {
    const uint32_t divisor = ts::sfpu::constant(0), inverse = ts::sfpu::constant(1);
    ts::sfpu::map_floats({"remainder", at}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        return ts::sfpu::remainder_by_scalar(x, ts::sfpu::scalar<F>(divisor), ts::sfpu::scalar<F>(inverse));
    });
}

ALWI void remainder_tile_uint32_init(TS_AT) { ts::sfpu::initialise("remainder_uint32", at); }

ALWI void remainder_tile_uint32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"remainder_uint32", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::remainder_of_unsigned(x, ts::sfpu::Int(param0));
    });
}
}  // namespace ckernel
