// First core of a column: reads the column's blocks of B, multicasts them down the column, then writes its output.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "multicast_block.h"
#include "write_block.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t out_address = get_arg_val<uint32_t>(1);
    const OutputBlock out = {
        get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5)};
    const uint32_t k_tiles = get_arg_val<uint32_t>(6);
    const Rectangle others = {
        get_arg_val<uint32_t>(7), get_arg_val<uint32_t>(8), get_arg_val<uint32_t>(9), get_arg_val<uint32_t>(10)};
    const uint32_t receivers = get_arg_val<uint32_t>(11);
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr uint32_t block_m = get_compile_time_arg_val(2);
    constexpr uint32_t block_n = get_compile_time_arg_val(3);
    constexpr uint32_t k_block = get_compile_time_arg_val(4);
    constexpr uint32_t sub_m = get_compile_time_arg_val(5);
    constexpr uint32_t sub_n = get_compile_time_arg_val(6);
    const uint32_t ready = get_semaphore(get_compile_time_arg_val(7));
    const uint32_t arrived = get_semaphore(get_compile_time_arg_val(8));
    constexpr auto args_b = TensorAccessorArgs<9>();
    constexpr auto args_out = TensorAccessorArgs<args_b.next_compile_time_args_offset()>();
    constexpr uint32_t block_tiles = k_block * block_n;
    const uint32_t bytes = get_tile_size(cb);

    const auto b = TensorAccessor(args_b, address);
    for (uint32_t k = 0; k < k_tiles; k += k_block) {
        cb_reserve_back(cb, block_tiles);
        const uint32_t block = get_write_ptr(cb);
        uint32_t tile = block;
        for (uint32_t i = 0; i < k_block; ++i) {
            for (uint32_t n = out.first_column; n < out.first_column + block_n; ++n) {
                // Columns past the end repeat the last one: their products are never written.
                const uint32_t column = n < out.columns ? n : out.columns - 1;
                noc_async_read_page((k + i) * out.columns + column, b, tile);
                tile += bytes;
            }
        }
        noc_async_read_barrier();
        if (receivers > 0) {
            send_block(block, block_tiles * bytes, others, receivers, ready, arrived);
        }
        cb_push_back(cb, block_tiles);
    }
    write_block<cb_out, block_m, block_n, sub_m, sub_n>(TensorAccessor(args_out, out_address), out);
}
