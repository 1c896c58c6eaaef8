// Functions that move data across lanes: sums and running sums over a tile, broadcasts, row shuffles.
#pragma once
#include "ts/sfpu/columns.h"
#include "ts/sfpu/integer.h"

namespace ts::sfpu {
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

// Running sums down the columns; `first` starts afresh, otherwise the last tile's totals go on.
TS_NO_CHECK inline void running_sum(const Call& call, uint32_t tile, bool first) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    Columns& sum = registers().mean;
    if (first) sum = Columns{};
    const bool wide = ts_dst_is_32bit();
    for (int row = 0; row < 32; ++row) {
        sum = sum + Columns::row(d, row);
        sum.to_row(d, row, wide);
    }
}

// y = alpha * previous + beta * x down the columns, into the next tile.
TS_NO_CHECK inline void moving_average(const Call& call, uint32_t tile) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* d = ts_dst_modify(tile, call.at);
    uint32_t* out = ts_dst_write(tile + 1, call.at);
    if (d == nullptr) return;
    Columns& previous = registers().mean;
    const Columns alpha = columns_of_bits(constant(0)), beta = columns_of_bits(constant(1));
    const bool wide = ts_dst_is_32bit();
    for (int row = 0; row < 32; ++row) {
        previous = mad(beta, Columns::row(d, row), alpha * previous);
        previous.to_row(out, row, wide);
    }
}

// Rows of a tile are added to those of the next one, each where a byte of the index says.
TS_NO_CHECK inline void add_shuffled_rows(const Call& call, uint32_t tile, const uint8_t* target) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* d = ts_dst_modify(tile, call.at);
    uint32_t* out = ts_dst_modify(tile + 1, call.at);
    if (d == nullptr) return;
    const bool wide = ts_dst_is_32bit();
    for (int row = 0; row < 32; ++row) {
        if (target[row] < 32) (Columns::row(d, row) + Columns::row(out, target[row])).to_row(out, target[row], wide);
    }
}

// The product of the groups of four rows by eight columns a face holds, one after the other.
TS_NO_CHECK inline void running_product(const Call& call, uint32_t tile) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    const bool wide = ts_dst_is_32bit();
    const auto index = [](int group, int lane) { return group / 2 * 64 + lane / 8 * 16 + lane % 8 * 2 + group % 2; };
    for (int face = 0; face < 4; ++face) {
        Columns product;
        for (int step = 0; step <= face_iterations; ++step) {
            const int group = face * face_iterations + step;
            if (group == 4 * face_iterations) break;
            Columns x;
            for (int lane = 0; lane < 32; ++lane) x.set(lane, __builtin_bit_cast(float, d[index(group, lane)]));
            product = step == 0 ? x : product * x;
            for (int lane = 0; lane < 32; ++lane) d[index(group, lane)] = product.stored(lane, wide);
        }
    }
}

// Pairs of columns as complex numbers, turned by a right angle: (a, b) becomes (-b, a).
TS_NO_CHECK inline void rotate_pairs(const Call& call, uint32_t tile) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    const bool wide = ts_dst_is_32bit();
    const auto stored = [&](uint32_t word) TS_NO_CHECK {
        return static_cast<uint32_t>(stored_float(Number(__builtin_bit_cast(float, word)), wide).v[0]);
    };
    for (int i = 0; i < tile_elements; i += 2) {
        const uint32_t real = d[i];
        d[i] = stored(d[i + 1] ^ 0x80000000u);
        d[i + 1] = stored(real);
    }
}

enum class Along { column, row };

// Column 0 of a row for all its columns: a register with the even columns of the left face is multiplied by one for the
// first and by zero for the others, then added to itself turned by one, two and four places.
TS_NO_CHECK inline Columns first_of_row(const uint32_t* tile, int row) {
    Number lanes[8];
    bool finite = true;
    for (int lane = 0; lane < 8; ++lane) {
        const uint32_t word = tile[element(row, lane * 2)];
        finite = finite && (word & 0x7f800000u) != 0x7f800000u;
        lanes[lane] = Number(__builtin_bit_cast(float, word)) * Number(lane == 0 ? 1.0f : 0.0f);
    }
    lanes[0] = lanes[0] + Number(0.0f);
    if (finite) return Columns::of(lanes[0].v[0]);
    for (int turn = 1; turn < 8; turn *= 2) {
        Number turned[8];
        for (int lane = 0; lane < 8; ++lane) turned[lane] = lanes[lane] + lanes[(lane + 8 - turn) % 8];
        for (int lane = 0; lane < 8; ++lane) lanes[lane] = turned[lane];
    }
    Columns out;
    for (int col = 0; col < 32; ++col) out.set(col, lanes[col % 16 / 2].v[0]);
    return out;
}

// `op` on each element and the value its row has in column 0, or its column in row 0, of another tile.
template <Along A, class Op>
TS_NO_CHECK inline void map_broadcast(const Call& call, uint32_t tile, uint32_t other, Op op) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(tile, call.at);
    const uint32_t* b = ts_dst_modify(other, call.at);
    if (d == nullptr) return;
    const bool wide = ts_dst_is_32bit();
    Columns top = Columns::row(b, 0);
    for (int row = 0; row < 32; ++row) {
        const Columns with = A == Along::row ? top : first_of_row(b, row);
        op(Columns::row(d, row), with).to_row(d, row, wide);
    }
}

// The same with two values from two tiles; `At` says whether they sit in column 0 of each row or in one corner.
template <bool OfRow, class Op>
TS_NO_CHECK inline void map_broadcast_pair(const Call& call, uint32_t tile, uint32_t first, uint32_t second, Op op) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(tile, call.at);
    const uint32_t* a = ts_dst_modify(first, call.at);
    const uint32_t* b = ts_dst_modify(second, call.at);
    if (d == nullptr) return;
    const bool wide = ts_dst_is_32bit();
    for (int row = 0; row < 32; ++row) {
        const int from = element(OfRow ? row : 0, 0);
        op(Columns::row(d, row), columns_of_bits(a[from]), columns_of_bits(b[from])).to_row(d, row, wide);
    }
}
}  // namespace ts::sfpu
