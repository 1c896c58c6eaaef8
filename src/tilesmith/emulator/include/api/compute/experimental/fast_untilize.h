// Untilizing a row of tiles of any width: a few at a time on Blackhole, all at once on Wormhole.
#pragma once
#include "api/compute/pack_untilize.h"

namespace ckernel {
template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_init(uint32_t icb, uint32_t ocb, TS_AT) {
    pack_untilize_init<full_ct_dim, full_ct_dim, is_fp32_dest_acc_en>(icb, ocb, at);
}
template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, TS_AT) {
    pack_untilize_init<full_ct_dim, full_ct_dim, is_fp32_dest_acc_en>(icb, ocb, at);
}

template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_block(uint32_t icb, uint32_t ocb, uint32_t input_tile_index = 0,
                              [[maybe_unused]] uint32_t output_tile_index = 0, TS_AT) {
    constexpr uint32_t at_once = !ts::on_blackhole      ? full_ct_dim
                                 : full_ct_dim % 4 == 0 ? 4
                                 : full_ct_dim % 3 == 0 ? 3
                                 : full_ct_dim % 2 == 0 ? 2
                                                        : 1;
    for (uint32_t block = 0; block < full_ct_dim / at_once; ++block) {
        ts_dst_acquire(at);
        for (uint32_t c = 0; c < at_once; ++c) {
            ts_fpu_copy(ts::FpuOp::copy, {}, icb, input_tile_index + block * at_once + c, c, at);
        }
        ts_dst_commit(at);
        ts_dst_wait(at);
        ts_pack_untilize(ocb, 0, 1, at_once, full_ct_dim, block, TILE_C_DIM, at);
        ts_dst_release(at);
    }
}

template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_uninit(uint32_t ocb, TS_AT) {
    pack_untilize_uninit<is_fp32_dest_acc_en>(ocb, at);
}
}  // namespace ckernel
