// A block of rows x columns output tiles is summed up in DST over the whole inner dimension, and packed once.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"

void kernel_main() {
    const uint32_t blocks = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr uint32_t rows = get_compile_time_arg_val(3);
    constexpr uint32_t columns = get_compile_time_arg_val(4);
    constexpr uint32_t inner = get_compile_time_arg_val(5);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a, cb_b, cb_out);
    matmul_block_init(cb_a, cb_b, 0, columns, rows, inner);
    cb_wait_front(cb_b, inner * columns);
    for (uint32_t block = 0; block < blocks; ++block) {
        cb_wait_front(cb_a, rows * inner);
        tile_regs_acquire();
        for (uint32_t k = 0; k < inner; ++k) {
            matmul_block(cb_a, cb_b, k, k * columns, 0, 0, columns, rows, inner);
        }
        tile_regs_commit();
        cb_pop_front(cb_a, rows * inner);

        cb_reserve_back(cb_out, rows * columns);
        tile_regs_wait();
        for (uint32_t i = 0; i < rows * columns; ++i) {
            pack_tile(i, cb_out);
        }
        tile_regs_release();
        cb_push_back(cb_out, rows * columns);
    }
    cb_pop_front(cb_b, inner * columns);
}
