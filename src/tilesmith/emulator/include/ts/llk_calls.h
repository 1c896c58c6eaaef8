// Calls one level below the API, which kernels make on a single role: MATH((llk_...)), UNPACK((llk_...)).
#pragma once
#include "ts/compute.h"
#include "ts/tensix_instructions.h"

namespace ckernel {
enum class PackMode : std::uint8_t { Default = 0, Untilize = 1, Tilize = 2 };
struct p_dim_stride_target {
    static constexpr uint32_t IGNORE = 0;
    static constexpr uint32_t FACE_ROW_MAJOR = 1;
};
}  // namespace ckernel
using namespace ckernel;

constexpr uint32_t get_operand_id(uint32_t cb) { return cb; }
constexpr uint32_t get_output_id(uint32_t cb) { return cb; }

// ---- inits of one engine ----
template <EltwiseBinaryType type, BroadcastType broadcast = BroadcastType::NONE, auto fidelity = 0,
          EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void llk_math_eltwise_binary_init(uint32_t, uint32_t, uint32_t acc_to_dest = 0, TS_AT) {
    ts_fpu_init(ts::op_of(type), {.dim = ts::dim_of(broadcast), .add_to_dst = acc_to_dest != 0, .leaves_unpack = true},
                at);
}
template <BroadcastType broadcast = BroadcastType::NONE>
ALWI void llk_unpack_AB_init(uint32_t, uint32_t, uint32_t transpose = 0, TS_AT) {
    ts_fpu_init(ts::FpuOp::add,
                {.dim = ts::dim_of(broadcast), .transpose = static_cast<uint8_t>(transpose), .leaves_math = true}, at);
}
template <PoolType type, ReduceDim dim>
ALWI void llk_unpack_AB_reduce_init(uint32_t, uint32_t, TS_AT) {
    static_assert(type != PoolType::MIN, "the matrix unit has no minimum: use sfpu_reduce");
    ts_fpu_init(ts::FpuOp::reduce, {.dim = ts::dim_of(dim), .pool = ts::pool_of(type), .leaves_math = true}, at);
}
template <PoolType type, ReduceDim dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, auto fidelity = 0>
ALWI void llk_math_reduce_init(uint32_t = 0, uint32_t = 0, TS_AT) {
    static_assert(type != PoolType::MIN, "the matrix unit has no minimum: use sfpu_reduce");
    ts_fpu_init(ts::FpuOp::reduce, {.dim = ts::dim_of(dim), .pool = ts::pool_of(type), .leaves_unpack = true}, at);
}

// A copy whose halves are set up apart: only the unpacker turns the tile.
template <BroadcastType broadcast = BroadcastType::NONE, bool acc_to_dest = false,
          EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE, bool unpack_to_dest = false>
ALWI void llk_unpack_A_init(uint32_t transpose_of_faces = 0, uint32_t within_face_16x16_transpose = 0, uint32_t = 0,
                            TS_AT) {
    static_assert(broadcast == BroadcastType::NONE && !acc_to_dest && reuse == EltwiseBinaryReuseDestType::NONE);
    const uint32_t turn = (transpose_of_faces ? 1 : 0) | (within_face_16x16_transpose ? 2 : 0);
    ts_fpu_init(ts::FpuOp::copy, {.transpose = static_cast<uint8_t>(turn), .leaves_math = true}, at);
}
template <DataCopyType type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, BroadcastType broadcast = BroadcastType::NONE,
          bool is_int_fpu_en = false, PackMode mode = PackMode::Default>
ALWI void llk_math_eltwise_unary_datacopy_init(uint32_t = 0, TS_AT) {
    static_assert(type == DataCopyType::A2D && broadcast == BroadcastType::NONE);
    ts_fpu_init(ts::FpuOp::copy, {.leaves_unpack = true}, at);
    ts_copies_keep_small();
}

template <bool neginf_srca = false, bool reload_srcb = false, bool zero_srca = false, bool zero_srca_reduce = false>
ALWI void llk_unpack_tilizeA_B_init(uint32_t, uint32_t, uint32_t, uint32_t num_faces = 4, uint32_t face_r_dim = 16,
                                    TS_AT) {
    ts_fpu_init(ts::FpuOp::tilize_reduce, {.leaves_math = true}, at);
}

// ---- formats; the engine keeps one record per role, so each role changes its own ----
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE, uint32_t stride = p_dim_stride_target::IGNORE>
ALWI void llk_unpack_reconfig_data_format_srca(uint32_t old_operand, uint32_t new_operand, TS_AT) {
    if (old_operand != new_operand) ts_engine_reconfigure(ts::srca, new_operand, ts::no_cb, at);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void llk_math_reconfig_data_format_srca(uint32_t old_operand, uint32_t new_operand, TS_AT) {
    if (old_operand != new_operand) ts_engine_reconfigure(ts::srca, new_operand, ts::no_cb, at);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void llk_unpack_reconfig_data_format(uint32_t srca_old, uint32_t srca_new, uint32_t srcb_old, uint32_t srcb_new,
                                          TS_AT) {
    const uint32_t registers = (srca_old != srca_new ? ts::srca : 0) | (srcb_old != srcb_new ? ts::srcb : 0);
    ts_engine_reconfigure(registers, srca_new, srcb_new, at);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void llk_math_reconfig_data_format(uint32_t srca_old, uint32_t srca_new, uint32_t srcb_old, uint32_t srcb_new,
                                        TS_AT) {
    llk_unpack_reconfig_data_format(srca_old, srca_new, srcb_old, srcb_new, at);
}

// ---- pack ----
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool out_of_order_output = false,
          PackMode mode = PackMode::Default>
ALWI void llk_pack(uint32_t dst, uint32_t cb, uint32_t index = 0, TS_AT) {
    static_assert(mode == PackMode::Default, "packing rows goes by pack_untilize_dest");
    ts_pack(dst, cb, out_of_order_output, index, at);
}
// How many tiles one pack brings: one is modelled.
template <PackMode mode = PackMode::Default, bool zero_output = false, bool skip_addrmod_config = false,
          bool skip_packer_strides = false>
ALWI void llk_pack_init(uint32_t = 0, uint32_t tiles = 1, TS_AT) {
    if (tiles != 1) ts_gap("packing several tiles at once (llk_pack_init)", at);
}
template <ReduceDim dim, PackMode mode = PackMode::Default>
ALWI void llk_pack_reduce_mask_config([[maybe_unused]] uint32_t cb = 0) {
    ts_pack_reduce_mask(ts::dim_of(dim));
}
ALWI void llk_pack_reduce_mask_clear() { ts_pack_reduce_mask(ts::FpuDim::none); }

// ---- circular buffers, on the role that owns the side ----
ALWI void llk_wait_tiles(int operand, int32_t tiles, TS_AT) { ts_cb_wait_front(operand, tiles, at); }
ALWI void llk_pop_tiles(int32_t operand, int32_t tiles, [[maybe_unused]] int32_t block_c_dim = 0, TS_AT) {
    ts_cb_pop_front(operand, tiles, at);
}
template <bool skip_sync = false, bool wait_for_blocks = false, bool brisc_pack = false>
ALWI void llk_wait_for_free_tiles(int32_t operand, int32_t tiles, TS_AT) {
    ts_cb_reserve_back(operand, tiles, at);
}
template <bool push_blocks = false, bool brisc_pack = false>
ALWI void llk_push_tiles(int32_t operand, int32_t tiles, TS_AT) {
    ts_cb_push_back(operand, tiles, at);
}
