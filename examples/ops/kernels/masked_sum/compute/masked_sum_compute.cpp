// masked_sum, compute: input times mask, tile by tile, then the sum of a row of tiles.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"

constexpr uint32_t cb_in = get_compile_time_arg_val(0);
constexpr uint32_t cb_mask = get_compile_time_arg_val(1);
constexpr uint32_t cb_scaler = get_compile_time_arg_val(2);
constexpr uint32_t cb_kept = get_compile_time_arg_val(3);
constexpr uint32_t cb_out = get_compile_time_arg_val(4);

// Hands DST tile 0 from math to the packer and on to `cb`.
void pack_result(uint32_t cb) {
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
}

void keep(uint32_t Wt) {
    cb_wait_front(cb_in, Wt);
    cb_wait_front(cb_mask, Wt);
    cb_reserve_back(cb_kept, Wt);
    mul_tiles_init(cb_in, cb_mask);
    for (uint32_t column = 0; column < Wt; ++column) {
        tile_regs_acquire();
        mul_tiles(cb_in, cb_mask, column, column, 0);
        pack_result(cb_kept);
    }
    cb_push_back(cb_kept, Wt);
    cb_pop_front(cb_in, Wt);
    cb_pop_front(cb_mask, Wt);
}

void sum(uint32_t Wt) {
    cb_wait_front(cb_kept, Wt);
    cb_reserve_back(cb_out, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_kept, cb_scaler, cb_out);
    tile_regs_acquire();
    for (uint32_t column = 0; column < Wt; ++column) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_kept, cb_scaler, column, 0, 0);
    }
    pack_result(cb_out);
    reduce_uninit();
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_kept, Wt);
}

void kernel_main() {
    const uint32_t units = get_arg_val<uint32_t>(0);
    const uint32_t Wt = get_arg_val<uint32_t>(1);

    binary_op_init_common(cb_in, cb_mask, cb_out);
    cb_wait_front(cb_scaler, 1);
    for (uint32_t unit = 0; unit < units; ++unit) {
        keep(Wt);
        sum(Wt);
    }
    cb_pop_front(cb_scaler, 1);
}
