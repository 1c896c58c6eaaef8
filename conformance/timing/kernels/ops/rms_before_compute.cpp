// Sums of squares of rows of tiles: squares to a buffer, one tile at a time, then their sum.
#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0), width = get_arg_val<uint32_t>(1);
    constexpr uint32_t in = 0, scaler = 1, squares = 6, out = 14;
    compute_kernel_hw_startup(in, scaler, squares);
    cb_wait_front(scaler, 1);
    for (uint32_t row = 0; row < rows; ++row) {
        reconfig_data_format(in, in);
        pack_reconfig_data_format(squares);
        mul_tiles_init(in, in);
        for (uint32_t i = 0; i < width; ++i) {
            cb_wait_front(in, i + 1);
            cb_reserve_back(squares, 1);
            tile_regs_acquire();
            mul_tiles(in, in, i, i, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, squares);
            tile_regs_release();
            cb_push_back(squares, 1);
        }
        reconfig_data_format(squares, scaler);
        pack_reconfig_data_format(out);
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(squares, scaler, out);
        cb_wait_front(squares, width);
        cb_reserve_back(out, 1);
        tile_regs_acquire();
        for (uint32_t i = 0; i < width; ++i)
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(squares, scaler, i, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        reduce_uninit();
        cb_push_back(out, 1);
        cb_pop_front(squares, width);
        cb_pop_front(in, width);
    }
    cb_pop_front(scaler, 1);
}
