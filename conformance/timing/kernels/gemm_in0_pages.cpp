// A lies in DRAM: the first core of a row reads its blocks and sends them to the others.
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "block_multicast.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0), outer = get_arg_val<uint32_t>(1);
    const uint32_t blocks = get_arg_val<uint32_t>(2), rows = get_arg_val<uint32_t>(3);
    const uint32_t k_block = get_arg_val<uint32_t>(4), k_tiles = get_arg_val<uint32_t>(5);
    const uint32_t first_row = get_arg_val<uint32_t>(6), per_row = get_arg_val<uint32_t>(7);
    const bool sends = get_arg_val<uint32_t>(8);
    const uint32_t sender_x = get_arg_val<uint32_t>(9), my_y = get_arg_val<uint32_t>(10);
    const Group row{get_arg_val<uint32_t>(11), my_y, get_arg_val<uint32_t>(12), my_y, get_arg_val<uint32_t>(13)};
    const uint32_t ready = get_semaphore(0), arrived = get_semaphore(1);
    constexpr uint32_t cb = 0;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(args, address);
    const uint32_t tile = get_tile_size(cb), tiles = rows * k_block;

    for (uint32_t step = 0; step < outer * blocks; ++step) {
        cb_reserve_back(cb, tiles);
        if (!sends) {
            receive(sender_x, my_y, ready, arrived);
        } else {
            const uint32_t block = get_write_ptr(cb), top = first_row + step / blocks / per_row * rows;
            uint32_t to = block;
            for (uint32_t r = 0; r < rows; ++r)
                for (uint32_t k = 0; k < k_block; ++k, to += tile)
                    noc_async_read_page((top + r) * k_tiles + step % blocks * k_block + k, a, to);
            noc_async_read_barrier();
            send<false>(block, block, tiles * tile, row, row.count, ready, arrived);
        }
        cb_push_back(cb, tiles);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
