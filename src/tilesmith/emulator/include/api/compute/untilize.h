// Tiles into row-major lines, rearranged on the way into DST.
#pragma once
#include "api/compute/common.h"

namespace ckernel {
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void untilize_init(uint32_t icb, TS_AT) {
    ts_fpu_init(ts::FpuOp::untilize, {}, at);
}

template <uint32_t block_ct_dim = 1, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void untilize_block(uint32_t icb, uint32_t full_ct_dim, uint32_t ocb, TS_AT) {
    for (uint32_t t = 0; t < full_ct_dim / block_ct_dim; ++t) {
        ts_dst_acquire(at);
        for (uint32_t r = 0; r < block_ct_dim; ++r) ts_fpu_untilize(icb, t * block_ct_dim + r, full_ct_dim, r, at);
        ts_dst_commit(at);
        ts_dst_wait(at);
        for (uint32_t r = 0; r < block_ct_dim; ++r) ts_pack(r, ocb, false, 0, at);
        ts_dst_release(at);
    }
}

ALWI void untilize_uninit(uint32_t icb, TS_AT) { ts_fpu_init(ts::FpuOp::none, {}, at); }

// ---- first generation ----
ALWI void untilize_init(uint32_t icb, uint32_t ocb, TS_AT) {
    compute_kernel_hw_startup(icb, ocb, at);
    untilize_init(icb, at);
}
ALWI void untilize_init_short(uint32_t icb, TS_AT) { untilize_init(icb, at); }
}  // namespace ckernel
