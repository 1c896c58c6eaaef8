// One-time configuration of unpack, math and pack for the circular buffers a kernel starts with.
#pragma once
#include "api/compute/common_globals.h"
#include "api/compute/src_order.h"

namespace ckernel {
template <SrcOrder src_order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb, TS_AT) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    ts_engine_start(reverse ? icb1 : icb0, reverse ? icb0 : icb1, ocb, ts::on_blackhole, at);
}

ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t ocb, TS_AT) {
    ts_engine_start(icb0, icb0, ocb, ts::on_blackhole, at);
}
}  // namespace ckernel
