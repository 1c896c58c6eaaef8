// What a vector unit remembers from an init to the calls after it: constant registers and random number generators.
#pragma once
#include "ts/abi.h"
#include "ts/sfpu/lanes.h"

namespace ts::sfpu {
struct UnitState {
    uint32_t constants[4];
    uint32_t random[32];
    uint32_t next_random;
};

// Every role of every core has static data of its own, copied when another takes its turn: one entry is enough.
inline UnitState unit;
TS_NO_CHECK inline UnitState& unit_state() { return unit; }
TS_NO_CHECK inline void set_constant(int index, uint32_t value) { unit_state().constants[index] = value; }
TS_NO_CHECK inline uint32_t constant(int index) { return unit_state().constants[index]; }
}  // namespace ts::sfpu
