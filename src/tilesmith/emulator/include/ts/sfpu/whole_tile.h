// Functions that move data across lanes: sums, products and running sums over a tile, and row shuffles.
#pragma once
#include "ts/sfpu/tile.h"

namespace ts::sfpu {
// Where a row and a column of the 32x32 tile lie in face order.
constexpr int element(int row, int col) { return (row / 16 * 2 + col / 16) * face_elements + row % 16 * 16 + col % 16; }

// Row 0 becomes the sum of all rows, as integers.
TS_NO_CHECK inline void sum_of_columns(const Call& call, uint32_t tile) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    for (int col = 0; col < 32; ++col) {
        uint32_t sum = 0;
        for (int row = 0; row < 32; ++row) sum += d[element(row, col)];
        d[element(0, col)] = sum;
    }
}

// Column 0 becomes the sum of all columns, as integers.
TS_NO_CHECK inline void sum_of_rows(const Call& call, uint32_t tile) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    for (int row = 0; row < 32; ++row) {
        uint32_t sum = 0;
        for (int col = 0; col < 32; ++col) sum += d[element(row, col)];
        d[element(row, 0)] = sum;
    }
}
}  // namespace ts::sfpu
