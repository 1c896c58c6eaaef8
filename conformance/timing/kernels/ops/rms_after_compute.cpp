// From gathered sums of squares to x * gamma / sqrt(mean + eps), blocks of tiles at a time.
#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/eltwise_unary/sqrt.h"

constexpr uint32_t in = 0, stats = 1, gamma = 2, eps = 4, scaler = 5, variance = 8, inverse = 10, normed = 12, out = 14;

inline void inverse_root() {
    reconfig_data_format(variance, eps);
    pack_reconfig_data_format(inverse);
    add_tiles_init(variance, eps);
    cb_wait_front(variance, 1);
    cb_reserve_back(inverse, 1);
    tile_regs_acquire();
    add_tiles(variance, eps, 0, 0, 0);
    sqrt_tile_init();
    sqrt_tile(0);
    recip_tile_init();
    recip_tile(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, inverse);
    tile_regs_release();
    cb_push_back(inverse, 1);
    cb_pop_front(variance, 1);
}

inline void sum_statistics(uint32_t count) {
    reconfig_data_format(stats, scaler);
    pack_reconfig_data_format(variance);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(stats, scaler, variance);
    cb_wait_front(stats, count);
    cb_reserve_back(variance, 1);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i) reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(stats, scaler, i, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, variance);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(variance, 1);
    cb_pop_front(stats, count);
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0), width = get_arg_val<uint32_t>(1);
    const uint32_t stats_tiles = get_arg_val<uint32_t>(2);
    constexpr uint32_t step = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(in, in, variance);
    cb_wait_front(scaler, 1);
    cb_wait_front(eps, 1);
    for (uint32_t row = 0; row < rows; ++row) {
        sum_statistics(stats_tiles);
        inverse_root();
        reconfig_data_format(in, inverse);
        pack_reconfig_data_format(normed);
        mul_bcast_cols_init_short(in, inverse);
        cb_wait_front(inverse, 1);
        for (uint32_t i = 0; i < width; i += step) {
            cb_wait_front(in, step);
            cb_reserve_back(normed, step);
            tile_regs_acquire();
            for (uint32_t j = 0; j < step; ++j) mul_tiles_bcast_cols(in, inverse, j, 0, j);
            tile_regs_commit();
            tile_regs_wait();
            for (uint32_t j = 0; j < step; ++j) pack_tile(j, normed);
            tile_regs_release();
            cb_push_back(normed, step);
            cb_pop_front(in, step);
        }
        cb_pop_front(inverse, 1);
        reconfig_data_format(normed, gamma);
        pack_reconfig_data_format(out);
        cb_wait_front(gamma, width);
        mul_bcast_rows_init_short(normed, gamma);
        for (uint32_t i = 0; i < width; i += step) {
            cb_wait_front(normed, step);
            cb_reserve_back(out, step);
            tile_regs_acquire();
            for (uint32_t j = 0; j < step; ++j) mul_tiles_bcast_rows(normed, gamma, j, i + j, j);
            tile_regs_commit();
            tile_regs_wait();
            for (uint32_t j = 0; j < step; ++j) pack_tile(j, out);
            tile_regs_release();
            cb_push_back(out, step);
            cb_pop_front(normed, step);
        }
    }
}
