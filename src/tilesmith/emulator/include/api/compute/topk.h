// Sorting and merging of lists of values with their indices.
#pragma once
#include "ts/sfpu/topk.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
enum class TopkTieOrder : uint8_t { Unset, Ascending, Descending };

constexpr TopkTieOrder topk_tie_order_from_global_direction(bool descending) {
    return descending ? TopkTieOrder::Descending : TopkTieOrder::Ascending;
}

template <bool fused = false, bool rank_stamped = false, uint32_t tag_bits = 16>
ALWI void topk_tile_init(TS_AT) {
    static_assert(!fused && !rank_stamped, "the emulator does not model fused or rank-stamped sorting");
    ts::sfpu::initialise("topk", at);
}

template <bool stable_sort = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fused = false,
          bool rank_stamped = false, TopkTieOrder tie_order = TopkTieOrder::Unset>
ALWI void topk_local_sort(uint32_t idst, int idir, int i_end_phase, int i_start_phase = 0, int i_end_step = 0,
                          int i_start_step = 0, TS_AT) {
    static_assert(!fused && !rank_stamped, "the emulator does not model fused or rank-stamped sorting");
    ts::sfpu::sort_locally({"topk", at}, idst, idir != 0, i_end_phase, i_start_phase, i_end_step, i_start_step);
}

template <bool idir = false, bool stable_sort = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fused = false,
          bool rank_stamped = false, uint32_t tag_bits = 16>
ALWI void topk_merge(uint32_t idst, int m_iter, int k, TS_AT) {
    static_assert(!fused && !rank_stamped, "the emulator does not model fused or rank-stamped sorting");
    ts::sfpu::merge_lists({"topk", at}, idst, idir, m_iter, k);
}

template <bool stable_sort = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fused = false,
          bool rank_stamped = false, TopkTieOrder tie_order = TopkTieOrder::Unset>
ALWI void topk_rebuild(uint32_t idst, bool idir, int m_iter, int k, int logk, int skip_second, TS_AT) {
    static_assert(!fused && !rank_stamped, "the emulator does not model fused or rank-stamped sorting");
    ts::sfpu::rebuild_lists({"topk", at}, idst, idir, m_iter, k, skip_second != 0);
}
}  // namespace ckernel
