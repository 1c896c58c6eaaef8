// dropout_tile: zeros with a probability, the rest scaled. The random numbers are the model's, not a chip's.
#pragma once
#include "ts/sfpu/random.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void dropout_kernel_init(uint32_t seed = 0, TS_AT) {
    ts::sfpu::initialise("dropout", at);
    if (ts_role() == ts::Role::math) ts::sfpu::seed_random(seed);
}

ALWI void dropout_tile(uint32_t idst, uint32_t probability, uint32_t scale_factor, TS_AT) {
    ts::sfpu::map_floats({"dropout", at}, idst, [=](auto x) TS_OP {
        using F = decltype(x);
        const auto draw = ts::sfpu::random_lanes() & 0x7fffffff;
        return ts::sfpu::select(draw > ts::sfpu::Int(probability), F(x * ts::sfpu::scalar<F>(scale_factor)), F(0.0f));
    });
}
}  // namespace ckernel
