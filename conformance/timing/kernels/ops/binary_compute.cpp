// A sum or a product tile by tile; with SiLU, the first operand goes through it and a buffer of its own before.
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/sfpu_split_includes.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t first = 0, second = 1, out = 2, activated = 3;

inline void apply_silu() {
    pack_reconfig_data_format(out, activated);
    reconfig_data_format_srca(activated, first);
    cb_wait_front(first, 1);
    cb_reserve_back(activated, 1);
    tile_regs_acquire();
    copy_init(first);
    copy_tile(first, 0, 0);
    silu_tile_init();
    silu_tile(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, activated);
    tile_regs_release();
    cb_pop_front(first, 1);
    cb_push_back(activated, 1);
    pack_reconfig_data_format(activated, out);
    reconfig_data_format_srca(first, activated);
}

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr bool product = get_compile_time_arg_val(0), silu = get_compile_time_arg_val(1);
    constexpr uint32_t left = silu ? activated : first;
    compute_kernel_hw_startup(left, second, out);
    for (uint32_t i = 0; i < tiles; ++i) {
        if constexpr (silu) apply_silu();
        cb_wait_front(left, 1);
        cb_wait_front(second, 1);
        cb_reserve_back(out, 1);
        if (silu || i == 0) {
            if constexpr (product) mul_tiles_init(left, second);
            else add_tiles_init(left, second);
        }
        tile_regs_acquire();
        if constexpr (product) mul_tiles(left, second, 0, 0, 0);
        else add_tiles(left, second, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
        cb_pop_front(left, 1);
        cb_pop_front(second, 1);
    }
}
