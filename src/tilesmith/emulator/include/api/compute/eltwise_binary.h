// Addition, subtraction and multiplication of tiles on the matrix unit.
#pragma once
#include "api/compute/common.h"

namespace ckernel {
template <bool full_init, EltwiseBinaryType eltwise_binary_type>
ALWI void binary_tiles_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TS_AT) {
    ts_fpu_init(ts::op_of(eltwise_binary_type), {.add_to_dst = acc_to_dest, .leaves_unpack = !full_init}, at);
}

ALWI void add_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TS_AT) {
    binary_tiles_init<true, EltwiseBinaryType::ELWADD>(icb0, icb1, acc_to_dest, at);
}
ALWI void sub_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TS_AT) {
    binary_tiles_init<true, EltwiseBinaryType::ELWSUB>(icb0, icb1, acc_to_dest, at);
}
ALWI void mul_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = true, TS_AT) {
    binary_tiles_init<true, EltwiseBinaryType::ELWMUL>(icb0, icb1, acc_to_dest, at);
}
// Some helpers pass the line of their caller themselves.
ALWI void mul_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest, [[maybe_unused]] int call_line, TS_AT) {
    mul_init(icb0, icb1, acc_to_dest, at);
}

#define TS_BINARY(name, op)                                                                                        \
    template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                                                           \
    ALWI void name##_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TS_AT) { \
        ts_fpu_eltwise(ts::FpuOp::name, ts::FpuDim::none, icb0, icb1, itile0, itile1, idst, 0, at);                \
    }                                                                                                              \
    template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                                                           \
    ALWI void name##_block(uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1,             \
                           uint32_t start_idst, uint32_t ntiles, TS_AT) {                                          \
        for (uint32_t i = 0; i < ntiles; ++i)                                                                      \
            name##_tiles(icb0, icb1, start_itile0 + i, start_itile1 + i, start_idst + i, at);                      \
    }                                                                                                              \
    template <EltwiseBinaryReuseDestType reuse_dest>                                                               \
    ALWI void name##_reuse_dest_init(uint32_t icb, TS_AT) {                                                        \
        ts_fpu_init(ts::FpuOp::name##_reuse, {.reuse = ts::reuse_of(reuse_dest)}, at);                             \
    }                                                                                                              \
    template <EltwiseBinaryReuseDestType reuse_dest, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>                    \
    ALWI void name##_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TS_AT) { \
        ts_fpu_eltwise_reuse(ts::FpuOp::name##_reuse, ts::reuse_of(reuse_dest), in_cb_id, in_tile_index,           \
                             dst_tile_index, at);                                                                  \
    }
TS_BINARY(add, ELWADD)
TS_BINARY(sub, ELWSUB)
TS_BINARY(mul, ELWMUL)
#undef TS_BINARY

// ---- first generation ----
ALWI void binary_op_init_common(uint32_t icb0, uint32_t icb1, uint32_t ocb, TS_AT) {
    compute_kernel_hw_startup(icb0, icb1, ocb, at);
    ts_fpu_init(ts::FpuOp::add, {.leaves_math = true}, at);
}
ALWI void add_tiles_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TS_AT) {
    add_init(icb0, icb1, acc_to_dest, at);
}
ALWI void sub_tiles_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TS_AT) {
    sub_init(icb0, icb1, acc_to_dest, at);
}
ALWI void mul_tiles_init(uint32_t icb0, uint32_t icb1, TS_AT) { mul_init(icb0, icb1, true, at); }
ALWI void add_tiles_init_nof(TS_AT) { ts_fpu_init(ts::FpuOp::add, {.leaves_unpack = true}, at); }
ALWI void sub_tiles_init_nof(TS_AT) { ts_fpu_init(ts::FpuOp::sub, {.leaves_unpack = true}, at); }
ALWI void mul_tiles_init_f(TS_AT) { ts_fpu_init(ts::FpuOp::mul, {.leaves_unpack = true}, at); }

template <EltwiseBinaryType eltwise_binary_type = EltwiseBinaryType::ELWADD,
          EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles_init(uint32_t icb0, TS_AT) {
    ts_fpu_init(ts::reuse_op_of(eltwise_binary_type), {.reuse = ts::reuse_of(binary_reuse_dest)}, at);
}
template <EltwiseBinaryType eltwise_binary_type = EltwiseBinaryType::ELWADD,
          EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TS_AT) {
    ts_fpu_eltwise_reuse(ts::reuse_op_of(eltwise_binary_type), ts::reuse_of(binary_reuse_dest), in_cb_id, in_tile_index,
                         dst_tile_index, at);
}
}  // namespace ckernel

// Kernels name these without a scope.
inline constexpr auto ELWADD = ckernel::EltwiseBinaryType::ELWADD;
inline constexpr auto ELWSUB = ckernel::EltwiseBinaryType::ELWSUB;
inline constexpr auto ELWMUL = ckernel::EltwiseBinaryType::ELWMUL;
