// Blocks that lie in L1: sums of blocks stay in DST no longer than a sub-block. The packer adds them to those in L1, or
// they are loaded again for the next block.
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    const uint32_t blocks = get_arg_val<uint32_t>(0), rows = get_arg_val<uint32_t>(1),
                   columns = get_arg_val<uint32_t>(2);
    const uint32_t depth = get_arg_val<uint32_t>(3), height = get_arg_val<uint32_t>(4),
                   width = get_arg_val<uint32_t>(5);
    constexpr bool in_l1 = get_compile_time_arg_val(0);
    constexpr uint32_t a = 0, b = 1, out = 16, sums = 24;
    const uint32_t size = height * width;
    compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, out);
    matmul_block_init(a, b, 0, width, height, depth);
    for (uint32_t block = 0; block < blocks; ++block) {
        const bool last = block + 1 == blocks, reload = block > 0 && (!in_l1 || last);
        const uint32_t target = last ? out : sums;
        pack_reconfig_data_format(target);
        if constexpr (in_l1) pack_reconfig_l1_acc(!last && block > 0);
        cb_wait_front(a, rows * depth);
        cb_wait_front(b, depth * columns);
        for (uint32_t top = 0; top < rows; top += height)
            for (uint32_t left = 0; left < columns; left += width) {
                tile_regs_acquire();
                if (reload) {
                    reconfig_data_format_srca(b, sums);
                    copy_init(sums);
                    cb_wait_front(sums, size);
                    for (uint32_t i = 0; i < size; ++i) copy_tile(sums, i, i);
                    cb_pop_front(sums, size);
                    reconfig_data_format_srca(sums, b);
                    matmul_block_init(a, b, 0, width, height, depth);
                }
                for (uint32_t k = 0; k < depth; ++k)
                    matmul_block(a, b, top * depth + k, k * columns + left, 0, 0, width, height, depth);
                tile_regs_commit();
                cb_reserve_back(target, size);
                tile_regs_wait();
                for (uint32_t i = 0; i < size; ++i) pack_tile(i, target);
                tile_regs_release();
                cb_push_back(target, size);
            }
        if (in_l1 && block + 2 < blocks) {
            cb_wait_front(sums, rows * columns);
            cb_pop_front(sums, rows * columns);
        }
        cb_pop_front(a, rows * depth);
        cb_pop_front(b, depth * columns);
    }
}
