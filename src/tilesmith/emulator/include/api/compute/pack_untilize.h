// Tiles into row-major lines, rearranged by the packer.
#pragma once
#include "api/compute/common.h"

namespace ckernel {
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool narrow_row = false,
          uint32_t row_num_datums = TILE_C_DIM, bool dense = false, bool configure_remap = true,
          bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_dest_init(uint32_t ocb, TS_AT) {
    ts_engine_reconfigure_pack(ocb, at);
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_init(uint32_t icb, uint32_t ocb, TS_AT) {
    ts_fpu_init(ts::FpuOp::copy, {}, at);
    ts_engine_reconfigure_pack(ocb, at);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, TS_AT) {
    pack_untilize_init<block_ct_dim, full_ct_dim>(icb, ocb, at);
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_block(uint32_t icb, uint32_t block_rt_dim, uint32_t ocb, uint32_t block_c_index = 0, TS_AT) {
    for (uint32_t r = 0; r < block_rt_dim; ++r) {
        ts_dst_acquire(at);
        for (uint32_t c = 0; c < block_ct_dim; ++c) ts_fpu_copy(ts::FpuOp::copy, {}, icb, c, c, at);
        ts_dst_commit(at);
        ts_dst_wait(at);
        ts_pack_untilize(ocb, 0, 1, block_ct_dim, full_ct_dim, block_c_index, TILE_C_DIM, at);
        ts_dst_release(at);
    }
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false,
          bool narrow_row = false, uint32_t row_num_datums = TILE_C_DIM, uint32_t tile_dst_ct_offset = 0,
          bool dense = false>
ALWI void pack_untilize_dest(uint32_t ocb, uint32_t block_rt_dim = 1, uint32_t block_c_index = 0,
                             uint32_t tile_dst_rt_offset = 0, TS_AT) {
    static_assert(!diagonal, "packing the diagonal is not modelled");
    ts_pack_untilize(ocb, tile_dst_rt_offset + tile_dst_ct_offset, block_rt_dim, block_ct_dim, full_ct_dim,
                     block_c_index, row_num_datums, at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_uninit(uint32_t ocb, TS_AT) {
    ts_engine_reconfigure_pack(ocb, at);
}

// ---- first generation: the face geometry as arguments, which the circular buffer knows anyway ----
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false,
          bool narrow_row = false, uint32_t row_num_datums = TILE_C_DIM>
ALWI void pack_untilize_dest_init(uint32_t ocb, uint32_t face_r_dim, uint32_t num_faces = 4, TS_AT) {
    ts_engine_reconfigure_pack(ocb, at);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim>
ALWI void pack_untilize_init_short(uint32_t icb, uint32_t ocb, TS_AT) {
    pack_untilize_init<block_ct_dim, full_ct_dim>(icb, ocb, at);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false,
          bool narrow_row = false, uint32_t row_num_datums = TILE_C_DIM>
ALWI void pack_untilize_dst_init_short(uint32_t ocb, uint32_t face_r_dim = 16, uint32_t num_faces = 4, TS_AT) {
    ts_engine_reconfigure_pack(ocb, at);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false,
          bool narrow_row = false, uint32_t row_num_datums = TILE_C_DIM>
ALWI void pack_untilize_dst(uint32_t ocb, uint32_t block_rt_dim = 1, uint32_t block_c_index = 0, TS_AT) {
    pack_untilize_dest<block_ct_dim, full_ct_dim, diagonal, narrow_row, row_num_datums>(ocb, block_rt_dim,
                                                                                        block_c_index, 0, at);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false,
          bool narrow_row = false, uint32_t row_num_datums = TILE_C_DIM>
ALWI void pack_untilize_dest(uint32_t ocb, uint32_t block_rt_dim, uint32_t block_c_index, uint32_t face_r_dim,
                             uint32_t num_faces, TS_AT) {
    pack_untilize_dest<block_ct_dim, full_ct_dim, diagonal, narrow_row, row_num_datums>(ocb, block_rt_dim,
                                                                                        block_c_index, 0, at);
}
}  // namespace ckernel
