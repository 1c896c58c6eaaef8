// Mean and variance down the columns of tiles, in one pass or two.
#pragma once
#include "api/compute/tile_move_copy.h"
#include "ts/sfpu/statistics.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
enum class WelfordInitMode : uint8_t { ClearStats, PreserveStats };
enum class TwoPassAccumulation : uint8_t { ShiftedSum, CentredM2 };
enum class TwoPassAnchor : uint8_t { Reuse, Initialise };

ALWI void welford_clear() {
    if (ts_role() == ts::Role::math) ts::sfpu::registers().mean = ts::sfpu::registers().m2 = ts::sfpu::Columns{};
}

template <WelfordInitMode mode = WelfordInitMode::ClearStats>
ALWI void welford_init(TS_AT) {
    ts::sfpu::initialise("welford", at);
    if constexpr (mode == WelfordInitMode::ClearStats) welford_clear();
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void welford_reinit(uint32_t cbid, TS_AT) {
    copy_init(cbid, 0, false, at);
    ts::sfpu::initialise("welford", at);
}

template <uint32_t reciprocal_size>
ALWI void welford_update(uint32_t input_dst_idx, uint32_t start_idx,
                         const std::array<uint32_t, reciprocal_size>& reciprocal_lut, TS_AT) {
    ts::sfpu::welford_rows({"welford", at}, input_dst_idx, start_idx, 0, 32, reciprocal_lut);
}

template <uint32_t reciprocal_size>
ALWI void welford_update_rows(uint32_t input_dst_idx, uint32_t start_idx, uint32_t start_row, uint32_t num_rows,
                              const std::array<uint32_t, reciprocal_size>& reciprocal_lut, TS_AT) {
    ts::sfpu::welford_rows({"welford", at}, input_dst_idx, start_idx, int(start_row), int(num_rows), reciprocal_lut);
}

ALWI void welford_save_state(uint32_t mean_dst_idx, uint32_t group_id, TS_AT) {
    const auto& r = ts::sfpu::registers();
    ts::sfpu::store_statistics({"welford", at}, mean_dst_idx, r.mean, r.m2, ts::sfpu::StatisticsTo::raw, int(group_id));
}
ALWI void welford_save_state(uint32_t mean_dst_idx, TS_AT) { welford_save_state(mean_dst_idx, 0, at); }

ALWI void welford_restore_state(uint32_t mean_dst_idx, uint32_t group_id, TS_AT) {
    ts::sfpu::load_statistics({"welford", at}, mean_dst_idx, int(group_id));
}
ALWI void welford_restore_state(uint32_t mean_dst_idx, TS_AT) { welford_restore_state(mean_dst_idx, 0, at); }

namespace detail {
template <class Reciprocals>
ALWI ts::sfpu::Columns welford_variance(uint32_t scale_idx, const Reciprocals& reciprocals) {
    return ts::sfpu::columns_of_bits(ts::sfpu::reciprocal_of_count(reciprocals, scale_idx)) * ts::sfpu::registers().m2;
}
}  // namespace detail

template <size_t reciprocal_size>
ALWI void welford_finalize_to_row(uint32_t mean_dst_idx, uint32_t scale_idx,
                                  const std::array<uint32_t, reciprocal_size>& reciprocal_lut, TS_AT) {
    const auto variance = detail::welford_variance(scale_idx, reciprocal_lut);
    ts::sfpu::store_statistics({"welford", at}, mean_dst_idx, ts::sfpu::registers().mean, variance,
                               ts::sfpu::StatisticsTo::rows, 0);
}

template <size_t reciprocal_size>
ALWI void welford_finalize_to_face(uint32_t mean_dst_idx, uint32_t group_id, uint32_t scale_idx,
                                   const std::array<uint32_t, reciprocal_size>& reciprocal_lut, TS_AT) {
    const auto variance = detail::welford_variance(scale_idx, reciprocal_lut);
    ts::sfpu::store_statistics({"welford", at}, mean_dst_idx, ts::sfpu::registers().mean, variance,
                               ts::sfpu::StatisticsTo::raw, int(group_id));
}
template <size_t reciprocal_size>
ALWI void welford_finalize_to_face(uint32_t mean_dst_idx, uint32_t scale_idx,
                                   const std::array<uint32_t, reciprocal_size>& reciprocal_lut, TS_AT) {
    welford_finalize_to_face(mean_dst_idx, 0, scale_idx, reciprocal_lut, at);
}

// ---- two passes: sums around an anchor give the mean, then squares around the mean the variance ----
ALWI void two_pass_stats_init_shifted(TS_AT) { ts::sfpu::initialise("two_pass_stats", at); }

ALWI void two_pass_stats_clear() {
    if (ts_role() != ts::Role::math) return;
    auto& r = ts::sfpu::registers();
    r.mean = r.m2 = r.second = ts::sfpu::Columns{};
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_update_rows(uint32_t input_dst_idx, uint32_t start_row, uint32_t num_rows, TS_AT) {
    ts::sfpu::squared_deviation_rows<dual_m2>({"two_pass_stats", at}, input_dst_idx, int(start_row), int(num_rows));
}

template <TwoPassAccumulation accumulation, TwoPassAnchor anchor = TwoPassAnchor::Reuse, bool dual_accumulator = true>
ALWI void two_pass_stats_update_shifted_rows(uint32_t input_dst_idx, uint32_t start_row, uint32_t num_rows, TS_AT) {
    if constexpr (accumulation == TwoPassAccumulation::CentredM2) {
        two_pass_stats_update_rows<dual_accumulator>(input_dst_idx, start_row, num_rows, at);
    } else {
        constexpr bool fresh = anchor == TwoPassAnchor::Initialise;
        ts::sfpu::shifted_sum_rows<fresh, dual_accumulator>({"two_pass_stats", at}, input_dst_idx, int(start_row),
                                                            int(num_rows));
    }
}

template <bool dual_sum = true, bool retain_anchor = false>
ALWI void two_pass_stats_finish_shifted_mean(uint32_t reciprocal_bits) {
    if (ts_role() == ts::Role::math) ts::sfpu::finish_shifted_mean<dual_sum, retain_anchor>(reciprocal_bits);
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_save_state(uint32_t mean_dst_idx, TS_AT) {
    if (ts_role() != ts::Role::math) return;
    auto& r = ts::sfpu::registers();
    r.m2 = ts::sfpu::whole_m2<dual_m2>();
    r.second = ts::sfpu::Columns{};
    ts::sfpu::store_statistics({"two_pass_stats", at}, mean_dst_idx, r.mean, r.m2, ts::sfpu::StatisticsTo::raw, 0);
}

template <bool dual_accumulator>
ALWI void two_pass_stats_switch_group(uint32_t mean_dst_idx, uint32_t save_group_id, uint32_t restore_group_id, TS_AT) {
    static_assert(!dual_accumulator, "groups are switched with one accumulator only");
    if (ts_role() != ts::Role::math) return;
    const auto& r = ts::sfpu::registers();
    const ts::sfpu::Call call{"two_pass_stats", at};
    ts::sfpu::store_statistics(call, mean_dst_idx, r.mean, r.m2, ts::sfpu::StatisticsTo::raw, int(save_group_id));
    ts::sfpu::load_statistics(call, mean_dst_idx, int(restore_group_id));
}

ALWI void two_pass_stats_save_anchor(uint32_t anchor_dst_idx, TS_AT) {
    ts::sfpu::store_anchor({"two_pass_stats", at}, anchor_dst_idx, 0);
}
ALWI void two_pass_stats_restore_anchor(uint32_t anchor_dst_idx, TS_AT) {
    ts::sfpu::load_anchor({"two_pass_stats", at}, anchor_dst_idx, 0);
}
ALWI void two_pass_stats_save_anchor_to_state(uint32_t mean_dst_idx, TS_AT) {
    ts::sfpu::store_anchor({"two_pass_stats", at}, mean_dst_idx, 1);
}
ALWI void two_pass_stats_restore_anchor_from_state(uint32_t mean_dst_idx, TS_AT) {
    ts::sfpu::load_anchor({"two_pass_stats", at}, mean_dst_idx, 1);
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_combine_block(uint32_t mean_dst_idx, uint32_t total_reciprocal_bits, uint32_t block_n_bits,
                                       TS_AT) {
    ts::sfpu::combine_block<dual_m2>({"two_pass_stats", at}, mean_dst_idx, total_reciprocal_bits, block_n_bits);
}

template <bool dual_m2 = true, bool store_mean = true>
ALWI void two_pass_stats_finalize_to_row(uint32_t mean_dst_idx, uint32_t reciprocal_bits, TS_AT) {
    ts::sfpu::finalise_to_row<dual_m2, store_mean>({"two_pass_stats", at}, mean_dst_idx, reciprocal_bits);
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_finalize_split_mean_to_row(uint32_t mean_dst_idx, uint32_t reciprocal_bits, TS_AT) {
    ts::sfpu::finalise_split_mean<dual_m2>({"two_pass_stats", at}, mean_dst_idx, reciprocal_bits);
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_finalize_to_face(uint32_t mean_dst_idx, uint32_t group_id, uint32_t reciprocal_bits, TS_AT) {
    if (ts_role() != ts::Role::math) return;
    const auto variance = ts::sfpu::whole_m2<dual_m2>() * ts::sfpu::columns_of_bits(reciprocal_bits);
    ts::sfpu::store_statistics({"two_pass_stats", at}, mean_dst_idx, ts::sfpu::registers().mean, variance,
                               ts::sfpu::StatisticsTo::raw, int(group_id));
}

template <bool dual_m2 = true, bool average_variance = true>
ALWI void two_pass_stats_finalize_and_combine_to_face(uint32_t mean_dst_idx, uint32_t group_id,
                                                      uint32_t reciprocal_bits, TS_AT) {
    ts::sfpu::finalise_combined<dual_m2, average_variance>({"two_pass_stats", at}, mean_dst_idx, int(group_id),
                                                           reciprocal_bits);
}
}  // namespace ckernel
