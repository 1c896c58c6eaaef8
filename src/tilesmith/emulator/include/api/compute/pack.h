// DST tiles into the reserved pages of a circular buffer.
#pragma once
#include "api/compute/common_globals.h"

namespace ckernel {
ALWI void pack_init(uint32_t ocb, TS_AT) {}

template <bool out_of_order_output = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_tile(uint32_t ifrom_dst, uint32_t icb, uint32_t output_tile_index = 0, TS_AT) {
    ts_pack(ifrom_dst, icb, out_of_order_output, output_tile_index, at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_block(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles, TS_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) ts_pack(ifrom_dst + i, icb, false, 0, at);
}

ALWI void dummy_pack(uint32_t) {}
ALWI void pack_reconfig_l1_acc(uint32_t l1_acc_en) { ts_pack_l1_accumulate(l1_acc_en != 0); }
ALWI void pack_relu_config(const ReluConfig& config) {
    ts_pack_relu(static_cast<uint32_t>(config.get_mode()), config.get_threshold());
}
// As one word: the mode in the low bits, the threshold as bf16 in the upper half.
ALWI void pack_relu_config(uint32_t config) { ts_pack_relu(config & 3, config >> 16); }

// ---- first generation ----
ALWI void pack_tile_block(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles, TS_AT) {
    pack_block(ifrom_dst, icb, ntiles, at);
}
ALWI void matmul_pack_tile(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles, TS_AT) {
    pack_block(ifrom_dst, icb, ntiles, at);
}
}  // namespace ckernel

// The layer below, where kernels reach for it inside PACK().
ALWI void llk_pack_reconfig_l1_acc(uint32_t enable) { ts_pack_l1_accumulate(enable != 0); }
ALWI void llk_pack_relu_config(const ReluConfig& config) { ckernel::pack_relu_config(config); }
ALWI void llk_pack_relu_config(ReluType mode) { ts_pack_relu(static_cast<uint32_t>(mode), 0); }
ALWI void llk_pack_relu_config(uint32_t config) { ckernel::pack_relu_config(config); }
