// Softmax along rows, in the numerically stable form: exp(x - max) / sum(exp(x - max)).
#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"

constexpr uint32_t cb_in = get_compile_time_arg_val(0);
constexpr uint32_t cb_scaler = get_compile_time_arg_val(1);
constexpr uint32_t cb_max = get_compile_time_arg_val(2);
constexpr uint32_t cb_exp = get_compile_time_arg_val(3);
constexpr uint32_t cb_inverse = get_compile_time_arg_val(4);
constexpr uint32_t cb_out = get_compile_time_arg_val(5);
constexpr uint32_t width = get_compile_time_arg_val(6);

// Hands DST tile 0 from math to the packer and on to `cb`.
void pack_result(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

void row_maximum() {
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, cb_max);
    tile_regs_acquire();
    for (uint32_t i = 0; i < width; ++i) {
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, i, 0, 0);
    }
    pack_result(cb_max);
    reduce_uninit();
}

void exponentials() {
    cb_wait_front(cb_max, 1);
    sub_bcast_cols_init(cb_in, cb_max);
    exp_tile_init();
    for (uint32_t i = 0; i < width; ++i) {
        tile_regs_acquire();
        sub_tiles_bcast_cols(cb_in, cb_max, i, 0, 0);
        exp_tile(0);
        pack_result(cb_exp);
    }
    cb_pop_front(cb_max, 1);
}

void inverse_sum() {
    cb_wait_front(cb_exp, width);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exp, cb_scaler, cb_inverse);
    tile_regs_acquire();
    for (uint32_t i = 0; i < width; ++i) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exp, cb_scaler, i, 0, 0);
    }
    recip_tile_init();
    recip_tile(0);
    pack_result(cb_inverse);
    reduce_uninit();
}

void normalise() {
    cb_wait_front(cb_inverse, 1);
    mul_bcast_cols_init(cb_exp, cb_inverse);
    for (uint32_t i = 0; i < width; ++i) {
        tile_regs_acquire();
        mul_tiles_bcast_cols(cb_exp, cb_inverse, i, 0, 0);
        pack_result(cb_out);
    }
    cb_pop_front(cb_inverse, 1);
    cb_pop_front(cb_exp, width);
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_in, cb_scaler, cb_out);
    cb_wait_front(cb_scaler, 1);
    for (uint32_t row = 0; row < rows; ++row) {
        cb_wait_front(cb_in, width);
        row_maximum();
        exponentials();
        cb_pop_front(cb_in, width);
        inverse_sum();
        normalise();
    }
    cb_pop_front(cb_scaler, 1);
}
