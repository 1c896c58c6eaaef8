// rand_tile: uniform numbers from a seeded generator. The numbers are the model's, not a chip's.
#pragma once
#include "ts/sfpu/random.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void rand_tile_init(uint32_t seed = 0, uint32_t stream_id = 0, TS_AT) {
    constexpr uint32_t stream_seed_multiplier = 0x9E3779B9u;
    ts::sfpu::initialise("rand", at);
    if (ts_role() == ts::Role::math) ts::sfpu::seed_random(seed + stream_id * stream_seed_multiplier);
}

ALWI void rand_tile(uint32_t idst, uint32_t from, uint32_t scale, TS_AT) {
    ts::sfpu::fill_floats({"rand", at}, idst, [=](auto number) TS_OP {
        using F = decltype(number);
        const F unit = ts::sfpu::set_exponent(F::from_bits(ts::sfpu::random_lanes() & 0x7fffffff), ts::sfpu::Int(127));
        return (unit - F(1.0f)) * ts::sfpu::scalar<F>(scale) + ts::sfpu::scalar<F>(from);
    });
}
}  // namespace ckernel
