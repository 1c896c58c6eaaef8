// Changing the formats and tile shapes that unpack, math and pack are configured for.
#pragma once
#include "api/compute/common_globals.h"
#include "api/compute/src_order.h"

namespace ckernel {
// The four-operand forms name the old operands so that the chip can skip what does not change.
#define TS_RECONFIGURE(name)                                                                          \
    template <SrcOrder src_order = SrcOrder::Regular>                                                 \
    ALWI void name(uint32_t icb0_new_operand, uint32_t icb1_new_operand, TS_AT) {                     \
        constexpr bool reverse = src_order == SrcOrder::Reverse;                                      \
        ts_engine_reconfigure(ts::srca | ts::srcb, reverse ? icb1_new_operand : icb0_new_operand,     \
                              reverse ? icb0_new_operand : icb1_new_operand, at);                     \
    }                                                                                                 \
    template <SrcOrder src_order = SrcOrder::Regular>                                                 \
    ALWI void name(uint32_t, uint32_t icb0_new_operand, uint32_t, uint32_t icb1_new_operand, TS_AT) { \
        name<src_order>(icb0_new_operand, icb1_new_operand, at);                                      \
    }
#define TS_RECONFIGURE_ONE(name, which)                                        \
    template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false> \
    ALWI void name(uint32_t new_operand, TS_AT) {                              \
        ts_engine_reconfigure(ts::which, new_operand, new_operand, at);        \
    }                                                                          \
    template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false> \
    ALWI void name(uint32_t, uint32_t new_operand, TS_AT) {                    \
        ts_engine_reconfigure(ts::which, new_operand, new_operand, at);        \
    }

TS_RECONFIGURE(reconfig_data_format)
TS_RECONFIGURE(reconfig_data_format_skip_int8)
TS_RECONFIGURE(reconfig_full_operand)
TS_RECONFIGURE(reconfig_tile_shape)
TS_RECONFIGURE_ONE(reconfig_data_format_srca, srca)
TS_RECONFIGURE_ONE(reconfig_data_format_srcb, srcb)
TS_RECONFIGURE_ONE(reconfig_data_format_srca_skip_int8, srca)
TS_RECONFIGURE_ONE(reconfig_data_format_srcb_skip_int8, srcb)
TS_RECONFIGURE_ONE(reconfig_full_operand_srca, srca)
TS_RECONFIGURE_ONE(reconfig_full_operand_srcb, srcb)
TS_RECONFIGURE_ONE(reconfig_tile_shape_srca, srca)
TS_RECONFIGURE_ONE(reconfig_tile_shape_srcb, srcb)

// The first generation chose with a template argument whether int8 or the tile's shape changes too.
template <bool to_from_int8, bool is_tile_dim_reconfig_en = false>
ALWI void reconfig_data_format(uint32_t srca_new_operand, uint32_t srcb_new_operand, TS_AT) {
    ts_engine_reconfigure(ts::srca | ts::srcb, srca_new_operand, srcb_new_operand, at);
}
template <bool to_from_int8, bool is_tile_dim_reconfig_en = false>
ALWI void reconfig_data_format(uint32_t, uint32_t srca_new_operand, uint32_t, uint32_t srcb_new_operand, TS_AT) {
    ts_engine_reconfigure(ts::srca | ts::srcb, srca_new_operand, srcb_new_operand, at);
}

template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t new_cb_id, TS_AT) {
    ts_engine_reconfigure_pack(new_cb_id, at);
}
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t, uint32_t new_cb_id, TS_AT) {
    ts_engine_reconfigure_pack(new_cb_id, at);
}
#undef TS_RECONFIGURE
#undef TS_RECONFIGURE_ONE
}  // namespace ckernel
