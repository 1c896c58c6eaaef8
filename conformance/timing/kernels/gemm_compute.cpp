// Blocks of A and B pass by; the packer adds the products of all but the last to the partial sums in L1, the last one
// starts from those sums and goes out.
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    const uint32_t outer = get_arg_val<uint32_t>(0), blocks = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2), columns = get_arg_val<uint32_t>(3);
    const uint32_t k_block = get_arg_val<uint32_t>(4), sub_m = get_arg_val<uint32_t>(5);
    const uint32_t sub_n = get_arg_val<uint32_t>(6), sub_tiles = sub_m * sub_n;
    constexpr uint32_t cb_a = 0, cb_b = 1, cb_out = 16, cb_sums = 24;

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a, cb_b, cb_out);
    matmul_block_init(cb_a, cb_b, 0, sub_n, sub_m, k_block);
    for (uint32_t step = 0; step < outer * blocks; ++step) {
        const uint32_t block = step % blocks;
        const bool last = block + 1 == blocks, reload = last && block > 0;
        const uint32_t target = last ? cb_out : cb_sums;
        pack_reconfig_data_format(target);
        pack_reconfig_l1_acc(!last && block > 0);
        cb_wait_front(cb_a, rows * k_block);
        cb_wait_front(cb_b, k_block * columns);
        for (uint32_t top = 0; top < rows; top += sub_m) {
            for (uint32_t left = 0; left < columns; left += sub_n) {
                tile_regs_acquire();
                if (reload) {
                    reconfig_data_format_srca(cb_b, cb_sums);
                    copy_init(cb_sums);
                    cb_wait_front(cb_sums, sub_tiles);
                    for (uint32_t i = 0; i < sub_tiles; ++i) copy_tile(cb_sums, i, i);
                    cb_pop_front(cb_sums, sub_tiles);
                    reconfig_data_format_srca(cb_sums, cb_b);
                    matmul_block_init(cb_a, cb_b, 0, sub_n, sub_m, k_block);
                }
                for (uint32_t k = 0; k < k_block; ++k)
                    matmul_block(cb_a, cb_b, top * k_block + k, k * columns + left, 0, 0, sub_n, sub_m, k_block);
                tile_regs_commit();
                cb_reserve_back(target, sub_tiles);
                tile_regs_wait();
                for (uint32_t i = 0; i < sub_tiles; ++i) pack_tile(i, target);
                tile_regs_release();
                cb_push_back(target, sub_tiles);
            }
        }
        if (block + 2 < blocks) {  // the sums stay where they are: the next block adds to them
            cb_wait_front(cb_sums, rows * columns);
            cb_pop_front(cb_sums, rows * columns);
        }
        cb_pop_front(cb_a, rows * k_block);
        cb_pop_front(cb_b, k_block * columns);
    }
}
