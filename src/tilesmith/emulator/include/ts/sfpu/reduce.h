// Reductions on the vector unit: down the columns into row 0, or along the rows into column 0.
#pragma once
#include "ts/formats.h"
#include "ts/sfpu/columns.h"
#include "ts/sfpu/typecast.h"

namespace ts::sfpu {
enum class Pool { sum, average, maximum, minimum };

namespace detail {
template <Pool P, DataFormat Format>
TS_NO_CHECK inline uint32_t pool(uint32_t a, uint32_t b) {
    if constexpr (is_floating(Format)) {
        const Number x(__builtin_bit_cast(float, a)), y(__builtin_bit_cast(float, b));
        const Number r = P == Pool::maximum ? maximum(x, y) : P == Pool::minimum ? minimum(x, y) : x + y;
        return static_cast<uint32_t>(r.as_int().v[0]);
    } else {
        const bool less = Format == DataFormat::Int32 ? int32_t(a) < int32_t(b) : a < b;
        if constexpr (P == Pool::maximum) return less ? b : a;
        if constexpr (P == Pool::minimum) return less ? a : b;
        return a + b;
    }
}
template <Pool P, DataFormat Format>
TS_NO_CHECK inline uint32_t pooled(uint32_t total, bool wide) {
    if constexpr (is_floating(Format)) {
        const Number r(__builtin_bit_cast(float, total));
        const Number scaled = P == Pool::average ? Number(r * Number(1.0f / 32.0f)) : r;
        return static_cast<uint32_t>(stored_float(scaled, wide).v[0]);
    } else if constexpr (P == Pool::average) {
        return Format == DataFormat::Int32 ? uint32_t(int32_t(total) / 32) : total / 32;
    }
    return total;
}
}  // namespace detail

template <Pool P, DataFormat Format>
TS_NO_CHECK inline void reduce_columns(const Call& call, uint32_t tile) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    const bool wide = ts_dst_is_32bit();
    for (int col = 0; col < 32; ++col) {
        uint32_t total = d[element(0, col)];
        for (int row = 1; row < 32; ++row) total = detail::pool<P, Format>(total, d[element(row, col)]);
        d[element(0, col)] = detail::pooled<P, Format>(total, wide);
    }
}

// A block of tiles: each row of tiles ends in column 0 of its first tile.
template <Pool P, DataFormat Format>
TS_NO_CHECK inline void reduce_rows(const Call& call, uint32_t tile, uint32_t columns, uint32_t rows) {
    ts_sfpu_run(call.name, call.at);
    const bool wide = ts_dst_is_32bit();
    for (uint32_t r = 0; r < rows; ++r) {
        for (int row = 0; row < 32; ++row) {
            uint32_t total = 0;
            for (uint32_t c = 0; c < columns; ++c) {
                const uint32_t* d = ts_dst_modify(tile + r * columns + c, call.at);
                if (d == nullptr) return;
                for (int col = 0; col < 32; ++col) {
                    const uint32_t x = d[element(row, col)];
                    total = c == 0 && col == 0 ? x : detail::pool<P, Format>(total, x);
                }
            }
            ts_dst_modify(tile + r * columns, call.at)[element(row, 0)] = detail::pooled<P, Format>(total, wide);
        }
    }
}

// The largest of the first rows of a tile, and the entry of the index tile that goes with it, both into row 0.
TS_NO_CHECK inline void maximum_with_index(
    const Call& call, uint32_t values, uint32_t indices, int rows, bool row_major, bool accumulate, uint32_t chunk) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(values, call.at);
    uint32_t* n = ts_dst_modify(indices, call.at);
    if (d == nullptr) return;
    // Row-major data lies in DST as it does in L1: 32 columns to two rows of a face.
    const auto at = [=](int row, int col) { return row_major ? row * 32 + col : element(row, col); };
    ColumnRegisters& r = registers();
    for (int col = 0; col < 32; ++col) {
        uint32_t best = d[at(0, col)], index = n[at(0, col)];
        for (int row = 1; row < rows; ++row) {
            if (total_order(Int(d[at(row, col)])).v[0] > total_order(Int(best)).v[0]) {
                best = d[at(row, col)];
                index = n[at(row, col)];
            }
        }
        const uint32_t kept = __builtin_bit_cast(uint32_t, r.mean.at(col));
        if (accumulate && chunk > 0 && total_order(Int(kept)).v[0] >= total_order(Int(best)).v[0]) {
            best = kept;
            index = __builtin_bit_cast(uint32_t, r.m2.at(col));
        }
        r.mean.set(col, __builtin_bit_cast(float, best));
        r.m2.set(col, __builtin_bit_cast(float, index));
        d[at(0, col)] = best;
        n[at(0, col)] = index;
    }
}
}  // namespace ts::sfpu
