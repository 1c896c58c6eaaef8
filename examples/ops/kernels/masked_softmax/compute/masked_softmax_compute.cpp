// masked_softmax, compute: softmax of scale * input + mask along rows, with the largest score taken off first.
#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = get_compile_time_arg_val(0);
constexpr uint32_t cb_mask = get_compile_time_arg_val(1);
constexpr uint32_t cb_scaler = get_compile_time_arg_val(2);
constexpr uint32_t cb_score = get_compile_time_arg_val(3);
constexpr uint32_t cb_max = get_compile_time_arg_val(4);
constexpr uint32_t cb_exp = get_compile_time_arg_val(5);
constexpr uint32_t cb_inverse = get_compile_time_arg_val(6);
constexpr uint32_t cb_out = get_compile_time_arg_val(7);

// Hands DST tile 0 from math to the packer and on to `cb`.
void pack_result(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

void scores(uint32_t Wt, uint32_t scale) {
    cb_wait_front(cb_in, Wt);
    cb_wait_front(cb_mask, Wt);
    for (uint32_t i = 0; i < Wt; ++i) {
        tile_regs_acquire();
        copy_init(cb_in);
        copy_tile(cb_in, i, 0);
        copy_tile(cb_mask, i, 1);
        binop_with_scalar_tile_init();
        mul_unary_tile(0, scale);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
        pack_result(cb_score);
    }
    cb_pop_front(cb_in, Wt);
    cb_pop_front(cb_mask, Wt);
}

void row_maximum(uint32_t Wt) {
    cb_wait_front(cb_score, Wt);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_score, cb_scaler, cb_max);
    tile_regs_acquire();
    for (uint32_t i = 0; i < Wt; ++i) {
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_score, cb_scaler, i, 0, 0);
    }
    pack_result(cb_max);
    reduce_uninit();
}

void exponentials(uint32_t Wt) {
    cb_wait_front(cb_max, 1);
    sub_bcast_cols_init(cb_score, cb_max);
    exp_tile_init();
    for (uint32_t i = 0; i < Wt; ++i) {
        tile_regs_acquire();
        sub_tiles_bcast_cols(cb_score, cb_max, i, 0, 0);
        exp_tile(0);
        pack_result(cb_exp);
    }
    cb_pop_front(cb_max, 1);
    cb_pop_front(cb_score, Wt);
}

void inverse_sum(uint32_t Wt) {
    cb_wait_front(cb_exp, Wt);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exp, cb_scaler, cb_inverse);
    tile_regs_acquire();
    for (uint32_t i = 0; i < Wt; ++i) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exp, cb_scaler, i, 0, 0);
    }
    recip_tile_init();
    recip_tile(0);
    pack_result(cb_inverse);
    reduce_uninit();
}

void normalise(uint32_t Wt) {
    cb_wait_front(cb_inverse, 1);
    mul_bcast_cols_init(cb_exp, cb_inverse);
    for (uint32_t i = 0; i < Wt; ++i) {
        tile_regs_acquire();
        mul_tiles_bcast_cols(cb_exp, cb_inverse, i, 0, 0);
        pack_result(cb_out);
    }
    cb_pop_front(cb_inverse, 1);
    cb_pop_front(cb_exp, Wt);
}

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    const uint32_t Wt = get_arg_val<uint32_t>(1);
    const uint32_t scale = get_arg_val<uint32_t>(2);

    compute_kernel_hw_startup(cb_in, cb_scaler, cb_out);
    cb_wait_front(cb_scaler, 1);
    for (uint32_t row = 0; row < num_rows; ++row) {
        scores(Wt, scale);
        row_maximum(Wt);
        exponentials(Wt);
        inverse_sum(Wt);
        normalise(Wt);
    }
    cb_pop_front(cb_scaler, 1);
}
