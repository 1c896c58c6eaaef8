// Start-up of kernels with one input: its formats, and copying it into DST.
#pragma once
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"

namespace ckernel {
ALWI void unary_op_init_common(uint32_t icb, uint32_t ocb, TS_AT) {
    compute_kernel_hw_startup(icb, ocb, at);
    copy_init(icb, 0, false, at);
}
ALWI void init_sfpu(uint32_t icb, uint32_t ocb, TS_AT) { unary_op_init_common(icb, ocb, at); }
}  // namespace ckernel
