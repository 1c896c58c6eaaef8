// A vector register of 32 lanes, which lanes act, and what it costs: under everything in namespace sfpi.
#pragma once
#include "ts/sfpu/state.h"
#include "ts/sfpu/tile.h"

namespace ts::sfpi_unit {
using sfpu::Int;
using sfpu::Mask;
using Number = sfpu::Real<!TS_FAST_NUMBERS>;

inline constexpr int lanes = 32, parts = lanes / sfpu::lane_count;

struct Vector {
    sfpu::Ints part[parts];
};

struct UnitState {
    Vector off;  // lanes that a condition has switched off
    uint32_t cycles;  // of the function that runs
    uint32_t first_row, row;  // of DST: where the face begins, and how far dst_reg was moved since
};
inline UnitState state;  // every role of every core has its own

inline constexpr uint32_t simple = 1, multiply_add = 2;  // cycles until the result can be used

TS_LANE void spend(uint32_t cycles) { state.cycles += cycles; }

// The result of an instruction, lane by lane, whatever the condition is.
template <class Op, class... Operands>
TS_LANE Vector each(uint32_t cycles, Op op, const Operands&... operands) {
    Vector result;
    for (int p = 0; p < parts; ++p) result.part[p] = op(operands.part[p]...).v;
    spend(cycles);
    return result;
}

TS_LANE Vector all(int32_t word) {
    Vector result;
    for (auto& part : result.part) part = word - sfpu::Ints{};
    return result;
}
TS_LANE Vector all(float value) { return all(__builtin_bit_cast(int32_t, value)); }

TS_LANE Vector number_lanes(int32_t step) {
    Vector result;
    for (int lane = 0; lane < lanes; ++lane)
        result.part[lane / sfpu::lane_count][lane % sfpu::lane_count] = lane * step;
    return result;
}

// Lanes that are off keep what they held.
TS_LANE void assign(Vector& to, const Vector& from) {
    for (int p = 0; p < parts; ++p) to.part[p] = sfpu::blend({state.off.part[p]}, to.part[p], from.part[p]);
}

// Row 2i of DST names four rows of eight columns: the even ones, or the odd ones if i is odd.
struct Place {
    uint32_t tile, first;  // word of lane 0
    static constexpr uint32_t word(uint32_t lane) { return lane / 8 * 16 + lane % 8 * 2; }
};
TS_LANE Place place_of(int index) {
    const uint32_t row = state.first_row + state.row + 2 * index, in_tile = row % 64;
    return {row / 64, (in_tile & ~3u) * 16 + (in_tile >> 1 & 1)};
}

TS_NO_CHECK inline Vector load_dst(int index, At at) {
    Vector result = all(0);
    const Place place = place_of(index);
    const uint32_t* tile = ts_dst_modify(place.tile, at);
    spend(simple);
    if (tile == nullptr) return result;
    for (uint32_t lane = 0; lane < lanes; ++lane)
        result.part[lane / sfpu::lane_count][lane % sfpu::lane_count] =
            static_cast<int32_t>(tile[place.first + Place::word(lane)]);
    return result;
}

TS_NO_CHECK inline void store_dst(int index, const Vector& value, At at) {
    const Place place = place_of(index);
    uint32_t* tile = ts_dst_write(place.tile, at);
    spend(simple);
    for (uint32_t lane = 0; tile != nullptr && lane < lanes; ++lane) {
        const int p = lane / sfpu::lane_count, i = lane % sfpu::lane_count;
        if (!state.off.part[p][i]) tile[place.first + Place::word(lane)] = static_cast<uint32_t>(value.part[p][i]);
    }
}

// What DST keeps of a float.
TS_LANE Vector as_stored(const Vector& value) {
    const bool wide = !Number::chip || ts_dst_is_32bit();
    Vector result;
    for (int p = 0; p < parts; ++p) result.part[p] = sfpu::stored_float(Number::from_bits(value.part[p]), wide).v;
    return result;
}
}  // namespace ts::sfpi_unit
