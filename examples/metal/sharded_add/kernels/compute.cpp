// Adds two shards tile by tile, in place in L1.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);

    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    add_init(cb_a, cb_b);
    cb_wait_front(cb_a, tiles);
    cb_wait_front(cb_b, tiles);
    cb_reserve_back(cb_out, tiles);
    for (uint32_t i = 0; i < tiles; ++i) {
        tile_regs_acquire();
        add_tiles(cb_a, cb_b, i, i, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
    }
    cb_push_back(cb_out, tiles);
    cb_pop_front(cb_a, tiles);
    cb_pop_front(cb_b, tiles);
}
