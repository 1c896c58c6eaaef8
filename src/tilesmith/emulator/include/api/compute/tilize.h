// Row-major lines of a circular buffer into tiles.
#pragma once
#include "api/compute/common.h"

namespace ckernel {
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_init(uint32_t icb, uint32_t block, uint32_t ocb, TS_AT) {
    ts_fpu_init(ts::FpuOp::tilize, {.width = static_cast<uint16_t>(block)}, at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_block(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0,
                       uint32_t output_tile_index = 0, TS_AT) {
    for (uint32_t t = 0; t < block; ++t) {
        ts_dst_acquire(at);
        ts_fpu_tilize(icb, input_tile_index + t, block, 0, at);
        ts_dst_commit(at);
        ts_dst_wait(at);
        ts_pack(0, ocb, true, output_tile_index + t, at);
        ts_dst_release(at);
    }
}

ALWI void tilize_uninit(uint32_t icb, uint32_t ocb, TS_AT) { ts_fpu_init(ts::FpuOp::none, {}, at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_init_short_with_dt(uint32_t old_icb, uint32_t new_icb, uint32_t block, uint32_t ocb, TS_AT) {
    reconfig_data_format_srca(old_icb, new_icb, at);
    tilize_init(new_icb, block, ocb, at);
}

// The fast variants differ in how the engines share the work, not in what comes out.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init(uint32_t icb, uint32_t full_dim, uint32_t ocb, TS_AT) {
    tilize_init(icb, full_dim, ocb, at);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb, TS_AT) {
    tilize_init(icb, full_dim, ocb, at);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init_with_dt(uint32_t icb, uint32_t full_dim, uint32_t ocb, TS_AT) {
    reconfig_data_format(icb, icb, at);
    tilize_init(icb, full_dim, ocb, at);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init_with_dt_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb, TS_AT) {
    fast_tilize_init_with_dt(icb, full_dim, ocb, at);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_uninit(uint32_t icb, uint32_t ocb, uint32_t full_dim = 0, TS_AT) {
    tilize_uninit(icb, ocb, at);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_block(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0,
                            uint32_t output_tile_index = 0, TS_AT) {
    tilize_block(icb, block, ocb, input_tile_index, output_tile_index, at);
}

// Tilizing straight into a reduction: unpack delivers, reduce_tile_math() consumes.
#if defined(REDUCE_OP) && defined(REDUCE_DIM)
template <bool neginf_srcA = true, bool zero_srcA_reduce = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilizeA_B_reduce_init(uint32_t icb0, uint32_t icb1_scaler, uint32_t block, TS_AT) {
    ts_fpu_init(ts::FpuOp::tilize_reduce, {.dim = ts::dim_of(REDUCE_DIM), .pool = ts::pool_of(REDUCE_OP)}, at);
}
template <bool neginf_srcA = true, bool zero_srcA_reduce = false>
ALWI void tilizeA_B_reduce_init(uint32_t icb0, uint32_t icb1_scaler, uint32_t block, uint32_t ocb,
                                uint32_t num_faces = 4, uint32_t face_r_dim = 16, TS_AT) {
    compute_kernel_hw_startup(icb0, icb1_scaler, ocb, at);
    tilizeA_B_reduce_init<neginf_srcA, zero_srcA_reduce>(icb0, icb1_scaler, block, at);
}
#endif
template <bool neginf_srcA = true, uint32_t reload_srcB = true, bool zero_srcA = false, bool zero_srcA_reduce = false>
ALWI void unpack_tilizeA_B_block(uint32_t icb0, uint32_t icb1, uint32_t block, uint32_t tile_idx_b, TS_AT) {
    ts_unpack_tilized(icb0, icb1, block, tile_idx_b, neginf_srcA, reload_srcB != 0, at);
}
ALWI void unpack_tilizeA_B_uninit(uint32_t) {}

// ---- first generation ----
ALWI void tilize_init_short(uint32_t icb, uint32_t block, uint32_t ocb, TS_AT) { tilize_init(icb, block, ocb, at); }
ALWI void tilize_uninit_with_dt(uint32_t old_icb, uint32_t new_icb, uint32_t ocb, TS_AT) {
    tilize_uninit(old_icb, ocb, at);
    reconfig_data_format_srca(old_icb, new_icb, at);
}
}  // namespace ckernel
