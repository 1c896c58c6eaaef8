// Products of tiles on the matrix unit: in0 goes to SrcB, in1 to SrcA.
#pragma once
#include "api/compute/common.h"

namespace ts {
ALWI void matmul_set_up(uint32_t transpose, uint32_t ct_dim, uint32_t rt_dim, At at) {
    ts_fpu_init(FpuOp::matmul, {.transpose = static_cast<uint8_t>(transpose ? 3 : 0), .width = ct_dim >= rt_dim}, at);
}
}  // namespace ts

namespace ckernel {
ALWI void matmul_init(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0, TS_AT) {
    ts::matmul_set_up(transpose, 1, 1, at);
}

ALWI void matmul_tiles(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index,
                       uint32_t idst, TS_AT) {
    ts_fpu_matmul(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, 1, 1, 1, at);
}

ALWI void matmul_block_init(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0, uint32_t ct_dim = 1,
                            uint32_t rt_dim = 1, uint32_t kt_dim = 1, TS_AT) {
    ts::matmul_set_up(transpose, ct_dim, rt_dim, at);
}

ALWI void matmul_block(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index,
                       uint32_t idst, uint32_t transpose, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim, TS_AT) {
    ts_fpu_matmul(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, ct_dim, rt_dim, kt_dim, at);
}

ALWI void mm_uninit(uint32_t, uint32_t) {}

// ---- first generation ----
ALWI void matmul_tiles(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index,
                       uint32_t idst, uint32_t transpose, TS_AT) {
    matmul_tiles(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, at);
}
ALWI void mm_init(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t out_cb_id, uint32_t transpose = 0, TS_AT) {
    compute_kernel_hw_startup<SrcOrder::Reverse>(in0_cb_id, in1_cb_id, out_cb_id, at);
    matmul_init(in0_cb_id, in1_cb_id, transpose, at);
}
ALWI void mm_init_short(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0, TS_AT) {
    matmul_init(in0_cb_id, in1_cb_id, transpose, at);
}
ALWI void mm_init_short_with_dt(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t c_in_old_srca, uint32_t transpose = 0,
                                TS_AT) {
    reconfig_data_format_srca(c_in_old_srca, in1_cb_id, at);
    matmul_init(in0_cb_id, in1_cb_id, transpose, at);
}
ALWI void mm_block_init(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t out_cb_id, uint32_t transpose = 0,
                        uint32_t ct_dim = 1, uint32_t rt_dim = 1, uint32_t kt_dim = 1, TS_AT) {
    compute_kernel_hw_startup<SrcOrder::Reverse>(in0_cb_id, in1_cb_id, out_cb_id, at);
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, at);
}
ALWI void mm_block_init_short(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0, uint32_t ct_dim = 1,
                              uint32_t rt_dim = 1, uint32_t kt_dim = 1, TS_AT) {
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, at);
}
ALWI void mm_block_init_short_with_dt(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t old_in1_cb_id,
                                      uint32_t transpose = 0, uint32_t ct_dim = 1, uint32_t rt_dim = 1,
                                      uint32_t kt_dim = 1, TS_AT) {
    reconfig_data_format_srca(old_in1_cb_id, in1_cb_id, at);
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, at);
}
ALWI void mm_block_init_short_with_both_dt(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t old_in0_cb_id,
                                           uint32_t old_in1_cb_id, uint32_t transpose = 0, uint32_t ct_dim = 1,
                                           uint32_t rt_dim = 1, uint32_t kt_dim = 1, TS_AT) {
    reconfig_data_format(old_in1_cb_id, in1_cb_id, old_in0_cb_id, in0_cb_id, at);
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, at);
}
}  // namespace ckernel
