// Values for the 32 columns of a tile, kept in vector registers from call to call: running sums and statistics.
#pragma once
#include "ts/sfpu/state.h"
#include "ts/sfpu/tile.h"

namespace ts::sfpu {
// Where a row and a column of the 32x32 tile lie in face order.
constexpr int element(int row, int col) { return (row / 16 * 2 + col / 16) * face_elements + row % 16 * 16 + col % 16; }

using Number = Real<true>;

struct Columns {
    static constexpr int parts = 32 / lane_count;
    Number part[parts] = {};

    template <class Op>
    static TS_LANE Columns map(Op op) {
        Columns out;
        for (int p = 0; p < parts; ++p) out.part[p] = op(p);
        return out;
    }
    static TS_LANE Columns of(float x) {
        return map([=](int) TS_OP { return Number(x); });
    }
    static TS_LANE Columns row(const uint32_t* tile, int r) {
        return map([=](int p) TS_OP { return Number::from_bits(load(tile + element(r, p * lane_count))); });
    }
    TS_LANE void to_row(uint32_t* tile, int r, bool wide) const {
        for (int p = 0; p < parts; ++p) store(tile + element(r, p * lane_count), stored_float(part[p], wide));
    }
    TS_LANE float at(int col) const { return part[col / lane_count].v[col % lane_count]; }
    TS_LANE void set(int col, float x) { part[col / lane_count].v[col % lane_count] = x; }
    TS_LANE uint32_t stored(int col, bool wide) const {
        return static_cast<uint32_t>(stored_float(part[col / lane_count], wide).v[col % lane_count]);
    }

    friend TS_LANE Columns operator+(const Columns& a, const Columns& b) {
        return map([&](int p) TS_OP { return a.part[p] + b.part[p]; });
    }
    friend TS_LANE Columns operator-(const Columns& a, const Columns& b) {
        return map([&](int p) TS_OP { return b.part[p] * Number(-1.0f) + a.part[p]; });
    }
    friend TS_LANE Columns operator-(const Columns& a) {
        return map([&](int p) TS_OP { return -a.part[p]; });
    }
    friend TS_LANE Columns operator*(const Columns& a, const Columns& b) {
        return map([&](int p) TS_OP { return Number(a.part[p] * b.part[p]); });
    }
};
TS_LANE Columns mad(const Columns& a, const Columns& b, const Columns& c) {
    return Columns::map([&](int p) TS_OP { return mad(a.part[p], b.part[p], c.part[p]); });
}
TS_LANE Columns columns_of_bits(uint32_t pattern) { return Columns::of(__builtin_bit_cast(float, pattern)); }

// The registers' own order in a tile: four rows of every other column, `slot` times four rows further down.
constexpr int raw_element(int slot, int col) { return (slot * 4 + col / 16 * 2 + col % 2) * 16 + col % 16 / 2 * 2; }

TS_NO_CHECK inline void to_raw(const Columns& values, uint32_t* tile, int slot, bool wide) {
    for (int col = 0; col < 32; ++col) tile[raw_element(slot, col)] = values.stored(col, wide);
}
TS_NO_CHECK inline Columns from_raw(const uint32_t* tile, int slot) {
    Columns out;
    for (int col = 0; col < 32; ++col) out.set(col, __builtin_bit_cast(float, tile[raw_element(slot, col)]));
    return out;
}

// The registers that live on between calls.
struct ColumnRegisters {
    Columns mean, m2, second, anchor;
};
inline ColumnRegisters column_registers;
TS_NO_CHECK inline ColumnRegisters& registers() { return column_registers; }
}  // namespace ts::sfpu
