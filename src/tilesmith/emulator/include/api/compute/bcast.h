// Elementwise operations whose second operand repeats its first row, first column or first datum.
#pragma once
#include "api/compute/common.h"

namespace ckernel {
template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void unary_bcast_init(uint32_t icb, TS_AT) {
    ts_fpu_init(ts::FpuOp::unary_bcast, {.dim = ts::dim_of(bcast_type)}, at);
}
template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void unary_bcast_init(uint32_t icb, uint32_t ocb, TS_AT) {
    compute_kernel_hw_startup(icb, ocb, at);
    unary_bcast_init<bcast_type>(icb, at);
}
template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void unary_bcast(uint32_t icb, uint32_t in_tile_index, uint32_t dst_tile_index, TS_AT) {
    ts_fpu_copy(ts::FpuOp::unary_bcast, {.dim = ts::dim_of(bcast_type)}, icb, in_tile_index, dst_tile_index, at);
}
template <BroadcastType bcast_type>
ALWI void unary_bcast_uninit(uint32_t) {}
template <BroadcastType old_bcast_type, BroadcastType new_bcast_type>
ALWI void reconfigure_unary_bcast(uint32_t old_icb, uint32_t new_icb, uint32_t old_ocb, uint32_t new_ocb, TS_AT) {
    compute_kernel_hw_startup(new_icb, new_ocb, at);
    unary_bcast_init<new_bcast_type>(new_icb, at);
}

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void any_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst,
                          uint32_t bcast_row_idx = 0, TS_AT) {
    ts_fpu_eltwise(ts::op_of(tBcastOp), ts::dim_of(tBcastDim), icb0, icb1, itile0, itile1, idst, bcast_row_idx, at);
}

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void bcast_init(uint32_t icb0, uint32_t icb1, TS_AT) {
    ts_fpu_init(ts::op_of(tBcastOp), {.dim = ts::dim_of(tBcastDim)}, at);
}

#define TS_BCAST_DIM(op, elw, dim, Dim)                                                                              \
    ALWI void op##_bcast_##dim##_init(uint32_t icb0, uint32_t icb1, TS_AT) {                                         \
        bcast_init<EltwiseBinaryType::elw, BroadcastType::Dim>(icb0, icb1, at);                                      \
    }                                                                                                                \
    ALWI void op##_bcast_##dim##_init_short(uint32_t icb0, uint32_t icb1, TS_AT) {                                   \
        bcast_init<EltwiseBinaryType::elw, BroadcastType::Dim>(icb0, icb1, at);                                      \
    }                                                                                                                \
    ALWI void op##_tiles_bcast_##dim##_init_short(uint32_t icb0, uint32_t icb1, TS_AT) {                             \
        bcast_init<EltwiseBinaryType::elw, BroadcastType::Dim>(icb0, icb1, at);                                      \
    }                                                                                                                \
    template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                                                             \
    ALWI void op##_tiles_bcast_##dim(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst,  \
                                     uint32_t bcast_row_idx = 0, TS_AT) {                                            \
        any_tiles_bcast<EltwiseBinaryType::elw, BroadcastType::Dim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx, \
                                                                    at);                                             \
    }
#define TS_BCAST(op, elw)                                                                                        \
    TS_BCAST_DIM(op, elw, rows, ROW)                                                                             \
    TS_BCAST_DIM(op, elw, cols, COL)                                                                             \
    TS_BCAST_DIM(op, elw, scalar, SCALAR)                                                                        \
    template <BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                                \
    ALWI void op##_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst,    \
                               uint32_t bcast_row_idx = 0, TS_AT) {                                              \
        any_tiles_bcast<EltwiseBinaryType::elw, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx, at); \
    }
TS_BCAST(add, ELWADD)
TS_BCAST(sub, ELWSUB)
TS_BCAST(mul, ELWMUL)
#undef TS_BCAST
#undef TS_BCAST_DIM

// ---- first generation ----
template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void init_bcast(uint32_t icb0, uint32_t icb1, uint32_t ocb, TS_AT) {
    compute_kernel_hw_startup(icb0, icb1, ocb, at);
    bcast_init<tBcastOp, tBcastDim>(icb0, icb1, at);
}
}  // namespace ckernel
