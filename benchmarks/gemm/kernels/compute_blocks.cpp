// The whole rows x cols block of output tiles stays in DST while k_tiles inner tiles stream through.
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"

void kernel_main() {
    constexpr uint32_t k_tiles = get_compile_time_arg_val(0);
    constexpr uint32_t k_step = get_compile_time_arg_val(1);
    constexpr uint32_t rows = get_compile_time_arg_val(2);
    constexpr uint32_t cols = get_compile_time_arg_val(3);
    compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);
    matmul_block_init(0, 1, 0, cols, rows, k_step);
    tile_regs_acquire();
    for (uint32_t k = 0; k < k_tiles; k += k_step) {
        cb_wait_front(0, rows * k_step);
        cb_wait_front(1, k_step * cols);
        for (uint32_t i = 0; i < k_step; ++i) {
            matmul_block(0, 1, i, i * cols, 0, 0, cols, rows, k_step);
        }
        cb_pop_front(0, rows * k_step);
        cb_pop_front(1, k_step * cols);
    }
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(16, rows * cols);
    for (uint32_t tile = 0; tile < rows * cols; ++tile) {
        pack_tile(tile, 16);
    }
    cb_push_back(16, rows * cols);
    tile_regs_release();
}
