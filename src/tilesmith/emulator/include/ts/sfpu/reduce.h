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
// Divided by the number of elements it was made of, as DST keeps it.
template <Pool P, DataFormat Format>
TS_NO_CHECK inline uint32_t pooled(uint32_t total, uint32_t count, bool wide) {
    if constexpr (is_floating(Format)) {
        const Number r(__builtin_bit_cast(float, total));
        const Number scaled = P == Pool::average ? Number(r * Number(1.0f / static_cast<float>(count))) : r;
        return static_cast<uint32_t>(stored_float(scaled, wide).v[0]);
    } else if constexpr (P == Pool::average) {
        return Format == DataFormat::Int32 ? uint32_t(int32_t(total) / int32_t(count)) : total / count;
    }
    return total;
}

// Four registers become one, from the last to the first; Wormhole adds the last four floats in pairs.
template <Pool P, DataFormat Format>
TS_NO_CHECK inline uint32_t pool_four(const uint32_t (&x)[4], bool in_pairs = false) {
    constexpr auto both = pool<P, Format>;
    if (in_pairs) return both(both(x[0], x[1]), both(x[2], x[3]));
    return both(x[0], both(x[1], both(x[2], x[3])));
}

// One column: a register holds every fourth row of a face, and what is left of it in the end fills rows 0 to 3.
template <Pool P, DataFormat Format>
TS_NO_CHECK inline void sum_column(uint32_t* d, int col, bool wide) {
#ifdef ARCH_BLACKHOLE
    constexpr bool in_pairs = false;
#else
    constexpr bool in_pairs = is_floating(Format);
#endif
    constexpr auto both = pool<P, Format>;
    uint32_t left[4][4];
    for (int row = 0; row < 4; ++row) {
        uint32_t upper[4], lower[4];
        for (int part = 0; part < 4; ++part) {
            upper[part] = d[element(row + part * 4, col)];
            lower[part] = d[element(row + part * 4 + 16, col)];
        }
        left[3][row] = upper[3];
        left[2][row] = both(upper[2], left[3][row]);
        left[1][row] = both(upper[1], left[2][row]);
        left[0][row] = both(both(upper[0], left[1][row]), pool_four<P, Format>(lower));
    }
    for (int row = 0; row < 4; ++row) {
        d[element(row, col)] = pooled<P, Format>(pool_four<P, Format>(left[row], in_pairs), 32, wide);
    }
}

// One column's extreme: of every fourth row of each face, then among the four by exchanging neighbours, whose losers
// stay in rows 1 to 3. Blackhole leaves the lower face's four where it parked them.
template <Pool P, DataFormat Format>
TS_NO_CHECK inline void extreme_of_column(uint32_t* d, int col, bool wide) {
    const auto stored = [=](uint32_t word) TS_NO_CHECK { return pooled<Pool::sum, Format>(word, 1, wide); };
    constexpr auto better = pool<P, Format>;
    constexpr auto worse = pool < P == Pool::maximum ? Pool::minimum : Pool::maximum, Format > ;
    uint32_t best[2][4];
    for (int face = 0; face < 2; ++face) {
        for (int row = 0; row < 4; ++row) {
            uint32_t four[4];
            for (int part = 0; part < 4; ++part) four[part] = d[element(face * 16 + row + part * 4, col)];
            best[face][row] = pool_four<P, Format>(four);
        }
#ifdef ARCH_BLACKHOLE
        for (int row = 0; row < 4; ++row) d[element(face * 16 + row, col)] = stored(best[face][row]);
#endif
        for (int row = 3; row > 0; --row) {
            const uint32_t upper = best[face][row - 1], lower = best[face][row];
            best[face][row - 1] = better(upper, lower);
            best[face][row] = worse(upper, lower);
        }
    }
    for (int row = 0; row < 4; ++row) d[element(row, col)] = stored(better(best[0][row], best[1][row]));
}

// One row: even and odd columns of both faces, then neighbours four, two and one apart.
template <Pool P, DataFormat Format>
TS_NO_CHECK inline uint32_t pool_row(const uint32_t* d, int row) {
    constexpr auto both = pool<P, Format>;
    uint32_t lanes[8];
    for (int lane = 0; lane < 8; ++lane) {
        lanes[lane] = pool_four<P, Format>({d[element(row, lane * 2)], d[element(row, lane * 2 + 1)],
                                            d[element(row, lane * 2 + 16)], d[element(row, lane * 2 + 17)]});
    }
    for (int apart = 4; apart > 0; apart /= 2) {
        for (int lane = 0; lane < apart; ++lane) lanes[lane] = both(lanes[lane], lanes[lane + apart]);
    }
    return lanes[0];
}
}  // namespace detail

template <Pool P, DataFormat Format>
TS_NO_CHECK inline void reduce_columns(const Call& call, uint32_t tile) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    const bool wide = ts_dst_is_32bit();
    for (int col = 0; col < 32; ++col) {
        if constexpr (P == Pool::sum || P == Pool::average) {
            detail::sum_column<P, Format>(d, col, wide);
        } else {
            detail::extreme_of_column<P, Format>(d, col, wide);
        }
    }
}

// A block of tiles: each row of tiles ends in its first tile. A register is stored whole: column 0 and the even ones
// beside it all hold the result.
template <Pool P, DataFormat Format>
TS_NO_CHECK inline void reduce_rows(const Call& call, uint32_t tile, uint32_t columns, uint32_t rows) {
    ts_sfpu_run(call.name, call.at);
    const bool wide = ts_dst_is_32bit();
    const auto put = [](uint32_t* d, int row, uint32_t word) TS_NO_CHECK {
        for (int col = 0; col < 16; col += 2) d[element(row, col)] = word;
    };
    for (uint32_t r = 0; r < rows; ++r) {
        for (int row = 0; row < 32; ++row) {
            uint32_t total = 0;
            for (uint32_t c = 0; c < columns; ++c) {
                uint32_t* d = ts_dst_modify(tile + r * columns + c, call.at);
                if (d == nullptr) return;
                uint32_t one = detail::pool_row<P, Format>(d, row);
                if (columns > 1) {
                    one = detail::pooled<Pool::sum, Format>(one, 32, wide);
                    put(d, row, one);
                }
                total = c == 0 ? one : detail::pool<P, Format>(total, one);
            }
            const uint32_t result = detail::pooled<P, Format>(total, 32 * columns, wide);
            put(ts_dst_modify(tile + r * columns, call.at), row, result);
        }
    }
}

// The largest of the first rows of a tile, and the entry of the index tile that goes with it, both into row 0.
TS_NO_CHECK inline void maximum_with_index(const Call& call, uint32_t values, uint32_t indices, int rows,
                                           bool row_major, bool accumulate, uint32_t chunk) {
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
