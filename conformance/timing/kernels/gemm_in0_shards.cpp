// A lies in L1, a shard per core: the cores of a row take turns in sending the blocks of their shard to the row.
#include "api/dataflow/dataflow_api.h"
#include "block_multicast.h"

void kernel_main() {
    const uint32_t blocks = get_arg_val<uint32_t>(0), rows = get_arg_val<uint32_t>(1);
    const uint32_t k_block = get_arg_val<uint32_t>(2), shard_width = get_arg_val<uint32_t>(3);
    const uint32_t my_column = get_arg_val<uint32_t>(4), my_y = get_arg_val<uint32_t>(5);
    const Group row{get_arg_val<uint32_t>(6), my_y, get_arg_val<uint32_t>(7), my_y, get_arg_val<uint32_t>(8)};
    const uint32_t ready = get_semaphore(0), arrived = get_semaphore(1);
    constexpr uint32_t cb = 0, shard = 2;
    const uint32_t tile = get_tile_size(cb), tiles = rows * k_block;

    for (uint32_t block = 0; block < blocks; ++block) {
        cb_reserve_back(cb, tiles);
        const uint32_t to = get_write_ptr(cb), sender = block * k_block / shard_width;
        if (sender != my_column) {
            receive(get_arg_val<uint32_t>(9 + sender), my_y, ready, arrived);
        } else if (k_block == shard_width) {
            send<true>(get_write_ptr(shard), to, tiles * tile, row, row.count - 1, ready, arrived);
        } else {
            uint32_t from = get_write_ptr(shard) + block * k_block % shard_width * tile;
            for (uint32_t i = 0; i < rows; ++i, from += shard_width * tile)
                noc_async_read(get_noc_addr(from), to + i * k_block * tile, k_block * tile);
            noc_async_read_barrier();
            send<false>(to, to, tiles * tile, {row.x0, row.y0, row.x1, row.y1, row.count - 1}, row.count - 1, ready,
                        arrived);
        }
        cb_push_back(cb, tiles);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
