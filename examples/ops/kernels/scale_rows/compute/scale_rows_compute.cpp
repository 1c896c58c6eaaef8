// scale_rows, compute: every row of a tile times the one row of the weight's tile.
#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_weight = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    const uint32_t units = get_arg_val<uint32_t>(0);
    const uint32_t Wt = get_arg_val<uint32_t>(1);

    init_bcast<EltwiseBinaryType::ELWMUL, BroadcastType::ROW>(cb_in, cb_weight, cb_out);
    cb_wait_front(cb_weight, Wt);
    for (uint32_t unit = 0; unit < units; ++unit) {
        cb_wait_front(cb_in, Wt);
        cb_reserve_back(cb_out, Wt);
        for (uint32_t column = 0; column < Wt; ++column) {
            tile_regs_acquire();
            mul_tiles_bcast_rows(cb_in, cb_weight, column, column, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, cb_out);
            tile_regs_release();
        }
        cb_push_back(cb_out, Wt);
        cb_pop_front(cb_in, Wt);
    }
    cb_pop_front(cb_weight, Wt);
}
