// A block of output tiles stays on the core while blocks of A and B pass through. DST holds one sub-block at a time, so
// between blocks of k the partial sums wait in a float32 circular buffer.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    const uint32_t k_blocks = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_partials = get_compile_time_arg_val(2);
    constexpr uint32_t cb_out = get_compile_time_arg_val(3);
    constexpr uint32_t block_m = get_compile_time_arg_val(4);
    constexpr uint32_t block_n = get_compile_time_arg_val(5);
    constexpr uint32_t k_block = get_compile_time_arg_val(6);
    constexpr uint32_t sub_m = get_compile_time_arg_val(7);
    constexpr uint32_t sub_n = get_compile_time_arg_val(8);
    constexpr uint32_t sub_tiles = sub_m * sub_n;

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a, cb_b, cb_out);
    matmul_block_init(cb_a, cb_b, 0, sub_n, sub_m, k_block);
    for (uint32_t block = 0; block < k_blocks; ++block) {
        const bool first = block == 0;
        const bool last = block + 1 == k_blocks;
        const uint32_t cb_target = last ? cb_out : cb_partials;
        pack_reconfig_data_format(cb_target);
        cb_wait_front(cb_a, block_m * k_block);
        cb_wait_front(cb_b, k_block * block_n);
        for (uint32_t top = 0; top < block_m; top += sub_m) {
            for (uint32_t left = 0; left < block_n; left += sub_n) {
                tile_regs_acquire();
                if (!first) {
                    reconfig_data_format_srca(cb_b, cb_partials);
                    copy_init(cb_partials);
                    cb_wait_front(cb_partials, sub_tiles);
                    for (uint32_t i = 0; i < sub_tiles; ++i) {
                        copy_tile(cb_partials, i, i);
                    }
                    cb_pop_front(cb_partials, sub_tiles);
                    reconfig_data_format_srca(cb_partials, cb_b);
                    matmul_block_init(cb_a, cb_b, 0, sub_n, sub_m, k_block);
                }
                for (uint32_t k = 0; k < k_block; ++k) {
                    matmul_block(cb_a, cb_b, top * k_block + k, k * block_n + left, 0, 0, sub_n, sub_m, k_block);
                }
                tile_regs_commit();

                cb_reserve_back(cb_target, sub_tiles);
                tile_regs_wait();
                for (uint32_t i = 0; i < sub_tiles; ++i) {
                    pack_tile(i, cb_target);
                }
                tile_regs_release();
                cb_push_back(cb_target, sub_tiles);
            }
        }
        cb_pop_front(cb_a, block_m * k_block);
        cb_pop_front(cb_b, k_block * block_n);
    }
}
