// First core of a row: reads the row's blocks of A and multicasts them to the rest of the row.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "multicast_block.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    const uint32_t k_tiles = get_arg_val<uint32_t>(3);
    const Rectangle others = {
        get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6), get_arg_val<uint32_t>(7)};
    const uint32_t receivers = get_arg_val<uint32_t>(8);
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t block_m = get_compile_time_arg_val(1);
    constexpr uint32_t k_block = get_compile_time_arg_val(2);
    const uint32_t ready = get_semaphore(get_compile_time_arg_val(3));
    const uint32_t arrived = get_semaphore(get_compile_time_arg_val(4));
    constexpr auto accessor_args = TensorAccessorArgs<5>();
    constexpr uint32_t block_tiles = block_m * k_block;
    const uint32_t bytes = get_tile_size(cb);

    const auto a = TensorAccessor(accessor_args, address);
    for (uint32_t k = 0; k < k_tiles; k += k_block) {
        cb_reserve_back(cb, block_tiles);
        const uint32_t block = get_write_ptr(cb);
        uint32_t tile = block;
        for (uint32_t m = first_row; m < first_row + block_m; ++m) {
            // Rows past the end repeat the last one: their products are never written.
            const uint32_t row = m < rows ? m : rows - 1;
            for (uint32_t i = 0; i < k_block; ++i) {
                noc_async_read_page(row * k_tiles + k + i, a, tile);
                tile += bytes;
            }
        }
        noc_async_read_barrier();
        if (receivers > 0) {
            send_block(block, block_tiles * bytes, others, receivers, ready, arrived);
        }
        cb_push_back(cb, block_tiles);
    }
    noc_async_write_barrier();
}
