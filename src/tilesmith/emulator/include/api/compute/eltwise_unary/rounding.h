// floor, ceil, trunc, round and the fractional part.
#pragma once
#include "ts/sfpu/simple.h"
#include "ts/sfpu/random.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void rounding_op_tile_init(TS_AT) { ts::sfpu::initialise("rounding_op", at); }

ALWI void ceil_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"rounding_op:ceil", at}, idst, [](auto x) TS_OP { return ts::sfpu::ceil(x); });
}

ALWI void floor_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"rounding_op:floor", at}, idst, [](auto x) TS_OP { return ts::sfpu::floor(x); });
}

ALWI void trunc_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"rounding_op:trunc", at}, idst, [](auto x) TS_OP { return ts::sfpu::truncate(x); });
}

ALWI void frac_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"rounding_op:frac", at}, idst, [](auto x) TS_OP { return ts::sfpu::fractional(x); });
}

ALWI void round_tile(uint32_t idst, int32_t decimals, TS_AT) {
    const float up = ts::sfpu::power_of_ten(decimals), down = ts::sfpu::power_of_ten(-decimals);
    ts::sfpu::map_floats({"rounding_op:round", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::round_decimals(x, up, down); });
}

ALWI void stochastic_round_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"rounding_op:stochastic_round", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::round_to_bf16_stochastically(x); });
}
}  // namespace ckernel
