// The subtraction of a mean in two parts, which the layer norm by Welford uses. It compiles; calling it is a gap.
#pragma once
#include "api/compute/common.h"

namespace ckernel {
ALWI void sub_bcast_cols_compensated_init(uint32_t, uint32_t, TS_AT) { ts_gap("sub_bcast_cols_compensated_init", at); }
ALWI void sub_bcast_cols_compensated(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, TS_AT) {
    ts_gap("sub_bcast_cols_compensated", at);
}
}  // namespace ckernel
