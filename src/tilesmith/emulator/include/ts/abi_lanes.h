// Arithmetic of the vector unit's lanes that every kernel would have to compile: the runtime does it.
#pragma once
#include <cstdint>

extern "C" {
// So many results, none of which stands where an operand does: a * b + c, a * b, a + b, a - b.
void ts_lanes_mad(bool blackhole, uint32_t lanes, float* r, const float* a, const float* b, const float* c);
void ts_lanes_mul(bool blackhole, uint32_t lanes, float* r, const float* a, const float* b);
void ts_lanes_add(bool blackhole, uint32_t lanes, float* r, const float* a, const float* b);
void ts_lanes_subtract(bool blackhole, uint32_t lanes, float* r, const float* a, const float* b);
}
