// Products whose instructions are issued one by one instead of from a template: the same numbers as matmul_block's.
#pragma once
#include "api/compute/matmul.h"

namespace ckernel {
ALWI void matmul_set_in1_column_stride(uint32_t in1_cb_id, uint32_t stride_tiles, TS_AT) {
    ts_gap("matmul_set_in1_column_stride", at);
}

ALWI void mm_no_mop_init_short(uint32_t in0_cb_id, uint32_t in1_cb_id, bool transpose = false, uint32_t ct_dim = 1,
                               uint32_t rt_dim = 1, uint32_t kt_dim = 1, TS_AT) {
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, at);
}
ALWI void mm_no_mop_reinit_short(uint32_t in0_cb_id, uint32_t in1_cb_id, bool transpose = false, uint32_t ct_dim = 1,
                                 uint32_t rt_dim = 1, uint32_t kt_dim = 1, TS_AT) {
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, at);
}
ALWI void matmul_block_no_mop(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index,
                              uint32_t idst, bool transpose, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim, TS_AT) {
    matmul_block(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, transpose, ct_dim, rt_dim, kt_dim, at);
}

// A fidelity of its own for one product: only the kernel's is modelled.
template <MathFidelity math_fidelity>
ALWI void mm_no_mop_init_short_fidelity(uint32_t in0_cb_id, uint32_t in1_cb_id, bool transpose = false,
                                        uint32_t ct_dim = 1, uint32_t rt_dim = 1, uint32_t kt_dim = 1, TS_AT) {
    if (static_cast<uint32_t>(math_fidelity) != static_cast<uint32_t>(MATH_FIDELITY))
        ts_gap("a product with another fidelity than the kernel's", at);
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, at);
}
template <MathFidelity math_fidelity>
ALWI void mm_no_mop_reinit_short_fidelity(uint32_t in0_cb_id, uint32_t in1_cb_id, bool transpose = false,
                                          uint32_t ct_dim = 1, uint32_t rt_dim = 1, uint32_t kt_dim = 1, TS_AT) {
    mm_no_mop_init_short_fidelity<math_fidelity>(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, at);
}
template <MathFidelity math_fidelity>
ALWI void matmul_block_no_mop_fidelity(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index,
                                       uint32_t in1_tile_index, uint32_t idst, bool transpose, uint32_t ct_dim,
                                       uint32_t rt_dim, uint32_t kt_dim, TS_AT) {
    matmul_block(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, transpose, ct_dim, rt_dim, kt_dim, at);
}
}  // namespace ckernel
