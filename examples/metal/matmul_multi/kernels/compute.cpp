// Accumulates each output tile over blocks of k_block products.
#include <cstdint>

#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"
#include "api/dataflow/circular_buffer.h"

void kernel_main() {
    const uint32_t out_tiles = get_arg_val<uint32_t>(0);
    const uint32_t k_blocks = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb_a_id = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b_id = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out_id = get_compile_time_arg_val(2);
    constexpr uint32_t k_block = get_compile_time_arg_val(3);

    CircularBuffer cb_a(cb_a_id);
    CircularBuffer cb_b(cb_b_id);
    CircularBuffer cb_out(cb_out_id);
    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a_id, cb_b_id, cb_out_id);
    matmul_init(cb_a_id, cb_b_id);
    for (uint32_t out = 0; out < out_tiles; ++out) {
        tile_regs_acquire();
        for (uint32_t block = 0; block < k_blocks; ++block) {
            cb_a.wait_front(k_block);
            cb_b.wait_front(k_block);
            for (uint32_t i = 0; i < k_block; ++i) {
                matmul_tiles(cb_a_id, cb_b_id, i, i, 0);
            }
            cb_a.pop_front(k_block);
            cb_b.pop_front(k_block);
        }
        tile_regs_commit();

        cb_out.reserve_back(1);
        tile_regs_wait();
        pack_tile(0, cb_out_id);
        tile_regs_release();
        cb_out.push_back(1);
    }
}
