// Tiles from a circular buffer into DST as they are.
#pragma once
#include "api/compute/common_globals.h"
#include "api/compute/reconfig_data_format.h"

namespace ckernel {
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_init(uint32_t cbid, uint32_t transpose = 0, uint32_t transpose_within_16x16_face = false, TS_AT) {
    const uint32_t turn = (transpose ? 1 : 0) | (transpose_within_16x16_face ? 2 : 0);
    ts_fpu_init(ts::FpuOp::copy, {.transpose = static_cast<uint8_t>(turn)}, at);
    ts_copies_keep_small();
}
// Some helpers pass the line of their caller themselves.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_init(uint32_t cbid, uint32_t transpose, uint32_t transpose_within_16x16_face,
                    [[maybe_unused]] uint32_t call_line, TS_AT) {
    copy_init<is_fp32_dest_acc_en>(cbid, transpose, transpose_within_16x16_face, at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_tile(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TS_AT) {
    ts_fpu_copy(ts::FpuOp::copy, {}, in_cb_id, in_tile_index, dst_tile_index, at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_block(uint32_t in_cb_id, uint32_t start_in_tile_index, uint32_t start_dst_tile_index, uint32_t ntiles,
                     TS_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) copy_tile(in_cb_id, start_in_tile_index + i, start_dst_tile_index + i, at);
}

ALWI void dummy_unpack(uint32_t) {}

// ---- first generation: whether copies keep small numbers is the start-up call's affair ----
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_tile_to_dst_init_short(uint32_t cbid, uint32_t transpose = 0,
                                      uint32_t transpose_within_16x16_face = false, TS_AT) {
    const uint32_t turn = (transpose ? 1 : 0) | (transpose_within_16x16_face ? 2 : 0);
    ts_fpu_init(ts::FpuOp::copy, {.transpose = static_cast<uint8_t>(turn)}, at);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_tile_init(uint32_t cbid, TS_AT) {
    copy_tile_to_dst_init_short(cbid, 0, false, at);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t old_cbid, uint32_t new_cbid, uint32_t transpose = 0, TS_AT) {
    reconfig_data_format_srca(old_cbid, new_cbid, at);
    copy_tile_to_dst_init_short(new_cbid, transpose, false, at);
}
ALWI void copy_block_matmul_partials(uint32_t in_cb_id, uint32_t start_in_tile_index, uint32_t start_dst_tile_index,
                                     uint32_t ntiles, TS_AT) {
    copy_block(in_cb_id, start_in_tile_index, start_dst_tile_index, ntiles, at);
}
}  // namespace ckernel
