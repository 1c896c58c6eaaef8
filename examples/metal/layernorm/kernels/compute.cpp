// Layer normalisation along rows: (x - mean) / sqrt(variance + epsilon) * gamma + beta. Input, gamma, beta and output are
// bfloat16; everything between is float32, so the engines change format at every step.
#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"

constexpr uint32_t cb_in = get_compile_time_arg_val(0);
constexpr uint32_t cb_scaler = get_compile_time_arg_val(1);
constexpr uint32_t cb_gamma = get_compile_time_arg_val(2);
constexpr uint32_t cb_beta = get_compile_time_arg_val(3);
constexpr uint32_t cb_mean = get_compile_time_arg_val(4);
constexpr uint32_t cb_centred = get_compile_time_arg_val(5);
constexpr uint32_t cb_square = get_compile_time_arg_val(6);
constexpr uint32_t cb_deviation = get_compile_time_arg_val(7);  // 1 / sqrt(variance + epsilon)
constexpr uint32_t cb_normal = get_compile_time_arg_val(8);
constexpr uint32_t cb_scaled = get_compile_time_arg_val(9);
constexpr uint32_t cb_out = get_compile_time_arg_val(10);
constexpr uint32_t width = get_compile_time_arg_val(11);

void pack_result(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

void mean() {
    // A row sum takes the scaler as SrcA and the data as SrcB.
    reconfig_data_format(cb_scaler, cb_in);
    pack_reconfig_data_format(cb_mean);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, cb_mean);
    tile_regs_acquire();
    for (uint32_t i = 0; i < width; ++i) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, i, 0, 0);
    }
    pack_result(cb_mean);
    reduce_uninit(cb_in);
}

void subtract_mean() {
    cb_wait_front(cb_mean, 1);
    reconfig_data_format(cb_in, cb_mean);
    sub_bcast_cols_init(cb_in, cb_mean);
    for (uint32_t i = 0; i < width; ++i) {
        tile_regs_acquire();
        sub_tiles_bcast_cols(cb_in, cb_mean, i, 0, 0);
        pack_result(cb_centred);
    }
    cb_pop_front(cb_mean, 1);
}

void inverse_deviation(uint32_t epsilon) {
    cb_wait_front(cb_centred, width);
    reconfig_data_format_srca(cb_in, cb_centred);
    mul_init(cb_centred, cb_centred);
    for (uint32_t i = 0; i < width; ++i) {
        tile_regs_acquire();
        mul_tiles(cb_centred, cb_centred, i, i, 0);
        pack_result(cb_square);
    }
    cb_wait_front(cb_square, width);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_square, cb_scaler, cb_deviation);
    tile_regs_acquire();
    for (uint32_t i = 0; i < width; ++i) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_square, cb_scaler, i, 0, 0);
    }
    binop_with_scalar_tile_init();
    add_unary_tile(0, epsilon);
    rsqrt_tile_init();
    rsqrt_tile(0);
    pack_result(cb_deviation);
    reduce_uninit(cb_square);
    cb_pop_front(cb_square, width);
}

void normalise() {
    cb_wait_front(cb_deviation, 1);
    mul_bcast_cols_init(cb_centred, cb_deviation);
    for (uint32_t i = 0; i < width; ++i) {
        tile_regs_acquire();
        mul_tiles_bcast_cols(cb_centred, cb_deviation, i, 0, 0);
        pack_result(cb_normal);
    }
    cb_pop_front(cb_deviation, 1);
    cb_pop_front(cb_centred, width);
}

void scale_and_shift() {
    cb_wait_front(cb_normal, width);
    reconfig_data_format_srcb(cb_deviation, cb_gamma);
    mul_bcast_rows_init(cb_normal, cb_gamma);
    for (uint32_t i = 0; i < width; ++i) {
        tile_regs_acquire();
        mul_tiles_bcast_rows(cb_normal, cb_gamma, i, i, 0);
        pack_result(cb_scaled);
    }
    cb_pop_front(cb_normal, width);

    cb_wait_front(cb_scaled, width);
    pack_reconfig_data_format(cb_out);
    add_bcast_rows_init(cb_scaled, cb_beta);
    for (uint32_t i = 0; i < width; ++i) {
        tile_regs_acquire();
        add_tiles_bcast_rows(cb_scaled, cb_beta, i, i, 0);
        pack_result(cb_out);
    }
    cb_pop_front(cb_scaled, width);
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    const uint32_t epsilon = get_arg_val<uint32_t>(1);  // float32 bits

    compute_kernel_hw_startup(cb_in, cb_scaler, cb_out);
    cb_wait_front(cb_scaler, 1);
    cb_wait_front(cb_gamma, width);
    cb_wait_front(cb_beta, width);
    for (uint32_t row = 0; row < rows; ++row) {
        cb_wait_front(cb_in, width);
        mean();
        subtract_mean();
        cb_pop_front(cb_in, width);
        inverse_deviation(epsilon);
        normalise();
        scale_and_shift();
    }
    cb_pop_front(cb_scaler, 1);
    cb_pop_front(cb_gamma, width);
    cb_pop_front(cb_beta, width);
}
