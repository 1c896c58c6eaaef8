// Mean and variance down the columns of tiles: Welford's recurrence, and two passes around an anchor.
#pragma once
#include <array>
#include <tuple>

#include "ts/sfpu/columns.h"

namespace ts::sfpu {
template <class Reciprocals>
TS_NO_CHECK inline uint32_t reciprocal_of_count(const Reciprocals& table, uint32_t index) {
    if constexpr (std::tuple_size_v<Reciprocals> > 0) {
        return table[index];
    } else {
        return __builtin_bit_cast(uint32_t, 1.0f / static_cast<float>(index + 1));
    }
}

template <class Reciprocals>
TS_NO_CHECK inline void welford_rows(const Call& call, uint32_t tile, uint32_t count, int first, int rows,
                                     const Reciprocals& reciprocals) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    ColumnRegisters& r = registers();
    for (int row = first; row < first + rows; ++row) {
        const Columns x = Columns::row(d, row);
        const Columns weight = columns_of_bits(reciprocal_of_count(reciprocals, count++));
        const Columns delta = x - r.mean;
        const Columns mean = mad(delta, weight, r.mean);
        r.m2 = mad(delta, x - mean, r.m2);
        r.mean = mean;
    }
}

enum class StatisticsTo { rows, raw };

// Mean to `tile`, variance to the one after it.
TS_NO_CHECK inline void store_statistics(const Call& call, uint32_t tile, const Columns& mean, const Columns& spread,
                                         StatisticsTo to, int slot) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* means = ts_dst_write(tile, call.at);
    uint32_t* spreads = ts_dst_write(tile + 1, call.at);
    if (means == nullptr) return;
    const bool wide = ts_dst_is_32bit();
    if (to == StatisticsTo::raw) {
        to_raw(mean, means, slot, wide);
        to_raw(spread, spreads, slot, wide);
        return;
    }
    for (int row = 0; row < 4; ++row) {
        (row == 0 ? mean : Columns{}).to_row(means, row, wide);
        (row == 0 ? spread : Columns{}).to_row(spreads, row, wide);
    }
}

TS_NO_CHECK inline void load_statistics(const Call& call, uint32_t tile, int slot) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* means = ts_dst_modify(tile, call.at);
    const uint32_t* spreads = ts_dst_modify(tile + 1, call.at);
    if (means == nullptr) return;
    registers().mean = from_raw(means, slot);
    registers().m2 = from_raw(spreads, slot);
}

// Sums of x - anchor, odd rows apart from even ones where two accumulators are used.
template <bool Initialise, bool Dual>
TS_NO_CHECK inline void shifted_sum_rows(const Call& call, uint32_t tile, int first, int rows) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    ColumnRegisters& r = registers();
    if constexpr (Initialise) {
        r.mean = Columns::row(d, first);
        r.m2 = r.second = Columns{};
    }
    for (int row = first; row < first + rows; ++row) {
        Columns& sum = Dual && row % 2 != 0 ? r.second : r.m2;
        sum = sum + (Columns::row(d, row) - r.mean);
    }
}

template <bool Dual>
TS_NO_CHECK inline void squared_deviation_rows(const Call& call, uint32_t tile, int first, int rows) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    ColumnRegisters& r = registers();
    for (int row = first; row < first + rows; ++row) {
        const Columns deviation = Columns::row(d, row) - r.mean;
        Columns& sum = Dual && row % 2 != 0 ? r.second : r.m2;
        sum = mad(deviation, deviation, sum);
    }
}

template <bool Dual>
TS_NO_CHECK inline Columns whole_m2() {
    return Dual ? registers().m2 + registers().second : registers().m2;
}

template <bool Dual, bool KeepAnchor>
TS_NO_CHECK inline void finish_shifted_mean(uint32_t reciprocal_bits) {
    ColumnRegisters& r = registers();
    if constexpr (KeepAnchor) r.anchor = r.mean;
    r.mean = mad(whole_m2<Dual>(), columns_of_bits(reciprocal_bits), r.mean);
    r.m2 = r.second = Columns{};
}

// The mean and variance of all 32 columns together, in every column.
struct CombinedStatistics {
    Columns mean, variance;
};
TS_NO_CHECK inline CombinedStatistics combine_columns(const Columns& means, const Columns& variances, bool average) {
    const auto total = [](const Columns& c) {
        float sum = 0.0f;
        for (int col = 0; col < 32; ++col) sum += c.at(col);
        return sum;
    };
    const float anchor = means.at(0);
    const Columns offsets = means - Columns::of(anchor);
    const float mean_offset = total(offsets) * (1.0f / 32.0f);
    const Columns residuals = offsets - Columns::of(mean_offset);
    const float spread = total(residuals * residuals) + total(variances);
    return {Columns::of(mean_offset + anchor), Columns::of(average ? spread * (1.0f / 32.0f) : spread)};
}

TS_NO_CHECK inline void store_anchor(const Call& call, uint32_t tile, int slot) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_write(tile, call.at);
    if (d != nullptr) to_raw(registers().anchor, d, slot, ts_dst_is_32bit());
}
TS_NO_CHECK inline void load_anchor(const Call& call, uint32_t tile, int slot) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* d = ts_dst_modify(tile, call.at);
    if (d != nullptr) registers().anchor = from_raw(d, slot);
}

// Joins the registers' block of n elements with the statistics already in the tiles.
template <bool Dual>
TS_NO_CHECK inline void combine_block(const Call& call, uint32_t tile, uint32_t total_reciprocal, uint32_t block_size) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* means = ts_dst_modify(tile, call.at);
    uint32_t* spreads = ts_dst_modify(tile + 1, call.at);
    if (means == nullptr) return;
    ColumnRegisters& r = registers();
    const Columns size = columns_of_bits(block_size);
    const Columns share = columns_of_bits(total_reciprocal) * size;
    const Columns weight = mad(share, columns_of_bits(block_size ^ 0x80000000u), size);
    const Columns before = from_raw(means, 0);
    const Columns delta = r.mean - before;
    r.mean = mad(delta, share, before);
    r.m2 = (from_raw(spreads, 0) + whole_m2<Dual>()) + (delta * delta) * weight;
    r.second = Columns{};
    const bool wide = ts_dst_is_32bit();
    to_raw(r.mean, means, 0, wide);
    to_raw(r.m2, spreads, 0, wide);
}

template <bool Dual, bool StoreMean>
TS_NO_CHECK inline void finalise_to_row(const Call& call, uint32_t tile, uint32_t reciprocal_bits) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* means = StoreMean ? ts_dst_write(tile, call.at) : nullptr;
    uint32_t* spreads = ts_dst_write(tile + 1, call.at);
    if (spreads == nullptr) return;
    const Columns variance = whole_m2<Dual>() * columns_of_bits(reciprocal_bits);
    const bool wide = ts_dst_is_32bit();
    for (int row = 0; row < 4; ++row) {
        if (StoreMean) (row == 0 ? registers().mean : Columns{}).to_row(means, row, wide);
        (row == 0 ? variance : Columns{}).to_row(spreads, row, wide);
    }
}

// The anchor in row 0 and its distance from the mean in row 16, which together keep more digits than one number.
template <bool Dual>
TS_NO_CHECK inline void finalise_split_mean(const Call& call, uint32_t tile, uint32_t reciprocal_bits) {
    finalise_to_row<Dual, false>(call, tile, reciprocal_bits);
    uint32_t* means = ts_dst_write(tile, call.at);
    if (means == nullptr) return;
    const ColumnRegisters& r = registers();
    const bool wide = ts_dst_is_32bit();
    for (int row = 0; row < 4; ++row) {
        (row == 0 ? r.anchor : Columns{}).to_row(means, row, wide);
        (row == 0 ? r.anchor - r.mean : Columns{}).to_row(means, 16 + row, wide);
    }
}

template <bool Dual, bool Average>
TS_NO_CHECK inline void finalise_combined(const Call& call, uint32_t tile, int slot, uint32_t reciprocal_bits) {
    if (ts_role() != Role::math) return;
    const Columns variances = whole_m2<Dual>() * columns_of_bits(reciprocal_bits);
    const CombinedStatistics both = combine_columns(registers().mean, variances, Average);
    store_statistics(call, tile, both.mean, both.variance, StatisticsTo::raw, slot);
    uint32_t* means = ts_dst_modify(tile, call.at);
    uint32_t* spreads = ts_dst_modify(tile + 1, call.at);
    // Both halves of each pair of columns get the value.
    for (int col = 0; col < 32; ++col) {
        means[raw_element(slot, col) + 1] = means[raw_element(slot, col)];
        spreads[raw_element(slot, col) + 1] = spreads[raw_element(slot, col)];
    }
}
}  // namespace ts::sfpu
