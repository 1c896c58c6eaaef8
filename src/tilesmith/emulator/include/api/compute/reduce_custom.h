// The row maximum over a whole row of tiles.
#pragma once
#include "api/compute/common.h"
#include "tensor_shape.h"

namespace ts {
ALWI void row_maximum_init(At at, uint32_t block = 0) {
    ts_fpu_init(FpuOp::reduce, {.dim = FpuDim::row, .pool = FpuPool::max, .width = static_cast<uint16_t>(block)}, at);
    ts_pack_reduce_mask(FpuDim::row);
}

ALWI void row_maximum_of(uint32_t block, uint32_t icb, uint32_t icb_scaler, uint32_t first, uint32_t idst, At at) {
    for (uint32_t i = 0; i < block; ++i) {
        ts_fpu_reduce(FpuPool::max, FpuDim::row, icb, icb_scaler, first + i, 0, idst, at);
    }
}
}  // namespace ts

namespace ckernel {
template <uint32_t block_ct_dim, bool respect_trigger = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_block_max_row_init(const TensorShape&, uint32_t ocb, TS_AT) {
    ts::row_maximum_init(at);
}
template <uint32_t block_ct_dim, bool respect_trigger = false, uint32_t num_faces = 4>
ALWI void reduce_block_max_row_init(uint32_t ocb, TS_AT) {
    ts::row_maximum_init(at);
}
template <uint32_t block_ct_dim>
ALWI void reduce_block_max_row_init(TS_AT) {
    ts::row_maximum_init(at);
}

template <uint32_t block_ct_dim, bool respect_trigger = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_block_max_row(const TensorShape&, uint32_t icb, uint32_t icb_scaler, uint32_t row_start_index,
                               uint32_t idst, TS_AT) {
    ts::row_maximum_of(block_ct_dim, icb, icb_scaler, row_start_index, idst, at);
}
template <uint32_t block_ct_dim, bool respect_trigger = false, uint32_t num_faces = 4>
ALWI void reduce_block_max_row(uint32_t icb, uint32_t icb_scaler, uint32_t row_start_index, uint32_t idst, TS_AT) {
    ts::row_maximum_of(block_ct_dim, icb, icb_scaler, row_start_index, idst, at);
}

template <uint32_t block_ct_dim, bool respect_trigger = false, uint32_t num_faces = 4>
ALWI void reduce_block_max_row_reinit_short(uint32_t ocb, TS_AT) {
    ts::row_maximum_init(at);
}
template <uint32_t block_ct_dim, bool respect_trigger = false, uint32_t num_faces = 4>
ALWI void reduce_block_max_row_reinit_minimal(uint32_t ocb, TS_AT) {
    ts::row_maximum_init(at);
}
ALWI void reduce_block_max_row_reinit_minimal_runtime(uint32_t ocb, uint32_t block_ct_dim, bool respect_trigger = false,
                                                      uint32_t num_faces = 4, TS_AT) {
    ts::row_maximum_init(at, block_ct_dim);
}
ALWI void reduce_block_max_row_reinit_short_runtime(uint32_t ocb, uint32_t block_ct_dim, bool respect_trigger = false,
                                                    uint32_t num_faces = 4, TS_AT) {
    ts::row_maximum_init(at, block_ct_dim);
}

template <bool respect_trigger = false>
ALWI void reduce_block_max_row_uninit(uint32_t icb = 0) {
    ts_pack_reduce_mask(ts::FpuDim::none);
}

// The block's width may be known only at run time; the init takes it, and the calls after it use it.
ALWI void reduce_block_max_row_init_runtime(uint32_t ocb, uint32_t block_ct_dim, uint32_t icb, uint32_t icb_scaler,
                                            bool respect_trigger = false, uint32_t num_faces = 4, TS_AT) {
    ts::row_maximum_init(at, block_ct_dim);
}
ALWI void reduce_block_max_row_runtime(uint32_t icb, uint32_t icb_scaler, uint32_t row_start_index, uint32_t idst,
                                       bool respect_trigger = false, bool overlap_first_half = false,
                                       uint32_t num_faces = 4, TS_AT) {
    ts::row_maximum_of(ts_fpu_width(), icb, icb_scaler, row_start_index, idst, at);
}
ALWI void reduce_block_max_row_uninit_runtime(uint32_t icb, bool respect_trigger = false,
                                              bool overlap_first_half = false) {
    ts_pack_reduce_mask(ts::FpuDim::none);
}
}  // namespace ckernel
