// Sums, averages and maxima over the rows, columns or all datums of a tile, times a scaler.
#pragma once
#include "api/compute/common.h"
#include "tensor_shape.h"

namespace ckernel {
#if defined(REDUCE_OP) && defined(REDUCE_DIM)
#define TS_REDUCE_TEMPLATE                                                         \
    template <PoolType reduce_type = REDUCE_OP, ReduceDim reduce_dim = REDUCE_DIM, \
              bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
#else
#define TS_REDUCE_TEMPLATE \
    template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
#endif

TS_REDUCE_TEMPLATE
ALWI void reduce_init(uint32_t icb, uint32_t icb_scaler, uint32_t ocb, TS_AT) {
    static_assert(reduce_type != PoolType::MIN, "the matrix unit has no minimum: use sfpu_reduce");
    ts_fpu_init(ts::FpuOp::reduce, {.dim = ts::dim_of(reduce_dim), .pool = ts::pool_of(reduce_type)}, at);
    ts_pack_reduce_mask(ts::dim_of(reduce_dim));
}

ALWI void reduce_uninit(uint32_t icb = 0) { ts_pack_reduce_mask(ts::FpuDim::none); }

TS_REDUCE_TEMPLATE
ALWI void reduce_tile(uint32_t icb, uint32_t icb_scaler, uint32_t itile, uint32_t itile_scaler, uint32_t idst, TS_AT) {
    ts_fpu_reduce(ts::pool_of(reduce_type), ts::dim_of(reduce_dim), icb, icb_scaler, itile, itile_scaler, idst, at);
}

TS_REDUCE_TEMPLATE
ALWI void reduce_block(uint32_t icb, uint32_t icb_scaler, uint32_t start_itile, uint32_t itile_scaler,
                       uint32_t start_idst, uint32_t ntiles, TS_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) {
        reduce_tile<reduce_type, reduce_dim>(icb, icb_scaler, start_itile + i, itile_scaler, start_idst + i, at);
    }
}

// The math half alone, on tiles that unpack_tilizeA_B_block() delivers.
TS_REDUCE_TEMPLATE
ALWI void reduce_tile_math(uint32_t idst, uint32_t num_faces = 4, TS_AT) {
    ts_math_reduce(ts::pool_of(reduce_type), ts::dim_of(reduce_dim), idst, at);
}
TS_REDUCE_TEMPLATE
ALWI void reduce_tile_math(uint32_t idst, const TensorShape&, TS_AT) {
    ts_math_reduce(ts::pool_of(reduce_type), ts::dim_of(reduce_dim), idst, at);
}

// ---- first generation ----
TS_REDUCE_TEMPLATE
ALWI void reduce_init_delta(uint32_t icb, uint32_t icb_scaler, uint32_t ocb, TS_AT) {
    reduce_init<reduce_type, reduce_dim>(icb, icb_scaler, ocb, at);
}
template <ReduceDim reduce_dim = ReduceDim::REDUCE_ROW>
ALWI void reduce_revert_delta(uint32_t ocb = 16) {
    reduce_uninit();
}
#undef TS_REDUCE_TEMPLATE
}  // namespace ckernel
