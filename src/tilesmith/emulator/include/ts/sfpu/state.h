// What a vector unit remembers from an init to the calls after it: constant registers and random number generators.
#pragma once
#include "ts/abi.h"
#include "ts/sfpu/lanes.h"

namespace ts::sfpu {
inline constexpr int grid_limit = 32;

struct UnitState {
    uint32_t constants[4];
    uint32_t random[32];
    uint32_t next_random;
};

// A kernel's library serves all cores, so each core has its own entry.
inline UnitState unit_states[grid_limit * grid_limit];

TS_NO_CHECK inline UnitState& unit_state() {
    return unit_states[(ts_logical_y() % grid_limit) * grid_limit + ts_logical_x() % grid_limit];
}
TS_NO_CHECK inline void set_constant(int index, uint32_t value) { unit_state().constants[index] = value; }
TS_NO_CHECK inline uint32_t constant(int index) { return unit_state().constants[index]; }
}  // namespace ts::sfpu
