// The vector unit's random numbers: a 32-bit shift register per lane, seeded per core.
#pragma once
#include "ts/sfpu/instructions.h"
#include "ts/sfpu/state.h"

namespace ts::sfpu {
constexpr uint32_t next_random(uint32_t state) {
    const uint32_t taps = static_cast<uint32_t>(__builtin_popcount(state & 0x80200003u));
    return (~taps << 31) | (state >> 1);
}

TS_NO_CHECK inline void seed_random(uint32_t seed) {
    UnitState& unit = unit_state();
    unit.next_random = 0;
    for (int i = 0; i < 32; ++i) seed = next_random(seed);
    for (int i = 31; i >= 0; --i) unit.random[i] = seed = next_random(next_random(seed));
}

// The next numbers, from one generator after the other.
TS_NO_CHECK inline Int random_lanes() {
    UnitState& unit = unit_state();
    Ints out = Ints{};
    for (int i = 0; i < lane_count; ++i) {
        uint32_t& lane = unit.random[unit.next_random++ % 32];
        out[i] = static_cast<int32_t>(lane);
        lane = next_random(lane);
    }
    return out;
}

template <class F>
TS_LANE F round_to_bf16_stochastically(F x) {
    const Int i = x.as_int();
    const Int rounded = (i + (random_lanes() & 0xffff)) & int32_t(0xffff0000u);
    const Int e = biased_exponent(x);
    return F::from_bits(select(e == 0, Int(0), select(e == 255, i & int32_t(0xff800000u), rounded)));
}
}  // namespace ts::sfpu
