// DST[i] = transpose of a tile.
#pragma once
#include "api/compute/common.h"

namespace ckernel {
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void transpose_init(uint32_t icb, TS_AT) {
    ts_fpu_init(ts::FpuOp::transpose, {.transpose = 3}, at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void transpose_tile(uint32_t icb, uint32_t itile, uint32_t idst, TS_AT) {
    ts_fpu_copy(ts::FpuOp::transpose, {}, icb, itile, idst, at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void transpose_block(uint32_t icb, uint32_t start_itile, uint32_t start_idst, uint32_t ntiles, TS_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) transpose_tile(icb, start_itile + i, start_idst + i, at);
}

// ---- first generation ----
ALWI void transpose_wh_init(uint32_t icb, uint32_t ocb, TS_AT) {
    compute_kernel_hw_startup(icb, ocb, at);
    transpose_init(icb, at);
}
ALWI void transpose_wh_init_short(uint32_t icb, TS_AT) { transpose_init(icb, at); }
ALWI void transpose_wh_tile(uint32_t icb, uint32_t itile, uint32_t idst, TS_AT) {
    transpose_tile(icb, itile, idst, at);
}
ALWI void transpose_wh_uninit(uint32_t, uint32_t) {}
}  // namespace ckernel
