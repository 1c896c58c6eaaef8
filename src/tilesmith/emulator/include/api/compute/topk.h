// Sorting and merging of lists of values with their indices.
#pragma once
#include "ts/sfpu/topk.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
enum class TopkTieOrder : uint8_t { Unset, Ascending, Descending };

constexpr TopkTieOrder topk_tie_order_from_global_direction(bool descending) {
    return descending ? TopkTieOrder::Descending : TopkTieOrder::Ascending;
}

namespace detail {
template <bool stable, bool fused, bool ranked, TopkTieOrder ties>
ALWI ts::sfpu::SortOrder sort_order(bool smallest_first) {
    if constexpr (fused) return {.tie = 0, .moves_indices = false};
    if constexpr (ranked) return ts::sfpu::ranked_order();
    if constexpr (!stable) return {};
    const bool ascending = ties == TopkTieOrder::Unset ? smallest_first : ties == TopkTieOrder::Ascending;
    return {.tie = ascending ? 1 : -1};
}
}  // namespace detail

template <bool fused = false, bool rank_stamped = false, uint32_t tag_bits = 16>
ALWI void topk_tile_init(TS_AT) {
    ts::sfpu::initialise("topk", at);
}

template <bool stable_sort = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fused = false,
          bool rank_stamped = false, TopkTieOrder tie_order = TopkTieOrder::Unset>
ALWI void topk_local_sort(uint32_t idst, int idir, int i_end_phase, int i_start_phase = 0, int i_end_step = 0,
                          int i_start_step = 0, TS_AT) {
    const auto order = detail::sort_order<stable_sort, fused, rank_stamped, tie_order>(idir != 0);
    ts::sfpu::sort_locally({"topk", at}, idst, order, idir != 0, i_end_phase, i_start_phase, i_end_step, i_start_step);
}

template <bool idir = false, bool stable_sort = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fused = false,
          bool rank_stamped = false, TopkTieOrder tie_order = TopkTieOrder::Unset, uint32_t tag_bits = 16>
ALWI void topk_merge(uint32_t idst, int m_iter, int k, TS_AT) {
    const auto order = detail::sort_order<stable_sort, fused, rank_stamped, tie_order>(idir);
    ts::sfpu::merge_lists({"topk", at}, idst, order, idir, m_iter, k);
}

template <bool stable_sort = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fused = false,
          bool rank_stamped = false, TopkTieOrder tie_order = TopkTieOrder::Unset>
ALWI void topk_rebuild(uint32_t idst, bool idir, int m_iter, int k, int logk, int skip_second, TS_AT) {
    const auto order = detail::sort_order<stable_sort, fused, rank_stamped, tie_order>(idir);
    ts::sfpu::rebuild_lists({"topk", at}, idst, order, idir, m_iter, k, skip_second != 0);
}

// Both zeros sort as one.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void topk_canonicalize_negzero_values(uint32_t idst, TS_AT) {
    for (uint32_t tile = idst; tile < idst + 2; ++tile) {
        ts::sfpu::map_words({"topk", at}, tile, [](ts::sfpu::Int x) TS_OP {
            return ts::sfpu::select((x & 0x7fffffff) == 0, ts::sfpu::Int(0), x);
        });
    }
}

// Ranks decide ties. The chip writes them into free low bits; here the indices themselves do, so nothing is written.
template <bool largest, uint32_t tag_bits = 16>
ALWI void topk_stamp_local_positions(uint32_t idst, TS_AT) {
    topk_canonicalize_negzero_values(idst, at);
    if (ts_role() == ts::Role::math) ts::sfpu::remember_ranks(largest, tag_bits);
}
template <bool largest, uint32_t tag_bits = 16>
ALWI void topk_stamp_tile_rank_range(uint32_t idst, uint32_t dst_tile_index, uint32_t rank_base, TS_AT) {
    if (ts_role() == ts::Role::math) ts::sfpu::remember_ranks(largest, tag_bits);
}
template <uint32_t tag_bits = 16, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void topk_strip_rank_tags(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"topk", at}, idst,
                        [](ts::sfpu::Int x) TS_OP { return x & ts::sfpu::Int(~((1u << tag_bits) - 1u)); });
}

// A bfloat16 value and its 16-bit index as one sort key, and apart again.
template <bool largest>
ALWI void topk_fuse_tile(uint32_t idst, TS_AT) {
    for (uint32_t tile = idst; tile < idst + 2; ++tile) {
        ts::sfpu::map_words({"topk", at}, tile, tile + 2, tile, [](ts::sfpu::Int value, ts::sfpu::Int index) TS_OP {
            return ts::sfpu::fuse<largest>(value, index);
        });
    }
}
template <bool largest>
ALWI void topk_defuse_tile(uint32_t idst, uint32_t num_tiles, TS_AT) {
    for (uint32_t tile = idst; tile < idst + num_tiles; ++tile) {
        ts::sfpu::map_words({"topk", at}, tile, tile, tile + 2,
                            [](ts::sfpu::Int key, ts::sfpu::Int) TS_OP { return ts::sfpu::fused_index<largest>(key); });
        ts::sfpu::map_words({"topk", at}, tile, [](ts::sfpu::Int key) TS_OP { return key & int32_t(0xffff0000u); });
    }
}

// DST keeps 16-bit integers as they are, so nothing needs moving to where the packer looks.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void topk_finalize_uint16_indices(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"topk", at}, idst, [](ts::sfpu::Int x) TS_OP { return x & 0xffff; });
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void topk_uint16_move_dest_tile_to_pack_half(uint32_t idst, TS_AT) {
    topk_finalize_uint16_indices(idst, at);
}
ALWI void topk_uint16_prepare_value_tile_for_pack(uint32_t idst, TS_AT) {
#ifdef TOPK_UINT16_FP32_DEST
    topk_finalize_uint16_indices(idst, at);
#endif
}
}  // namespace ckernel
