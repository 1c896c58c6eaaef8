// B lies in DRAM: the first core of a column reads its blocks and sends them to the others. Every core writes its output,
// unless that stays in its L1.
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "block_multicast.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0), out_address = get_arg_val<uint32_t>(1);
    const uint32_t outer = get_arg_val<uint32_t>(2), blocks = get_arg_val<uint32_t>(3);
    const uint32_t k_block = get_arg_val<uint32_t>(4), columns = get_arg_val<uint32_t>(5);
    const uint32_t n_tiles = get_arg_val<uint32_t>(6), first_column = get_arg_val<uint32_t>(7);
    const uint32_t per_row = get_arg_val<uint32_t>(8), first_row = get_arg_val<uint32_t>(9);
    const uint32_t rows = get_arg_val<uint32_t>(10), sub_m = get_arg_val<uint32_t>(11);
    const uint32_t sub_n = get_arg_val<uint32_t>(12);
    const bool sends = get_arg_val<uint32_t>(13), writes = get_arg_val<uint32_t>(14);
    const uint32_t my_x = get_arg_val<uint32_t>(15), sender_y = get_arg_val<uint32_t>(16);
    const Group column{my_x, get_arg_val<uint32_t>(17), my_x, get_arg_val<uint32_t>(18), get_arg_val<uint32_t>(19)};
    const uint32_t ready = get_semaphore(2), arrived = get_semaphore(3);
    constexpr uint32_t cb = 1, out = 16;
    constexpr auto args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<args.next_compile_time_args_offset()>();
    const auto b = TensorAccessor(args, address);
    const auto c = TensorAccessor(out_args, out_address);
    const uint32_t tile = get_tile_size(cb), out_tile = get_tile_size(out), tiles = k_block * columns;

    for (uint32_t o = 0; o < outer; ++o) {
        const uint32_t left = first_column + o % per_row * columns, top = first_row + o / per_row * rows;
        for (uint32_t step = 0; step < blocks; ++step) {
            cb_reserve_back(cb, tiles);
            if (!sends) {
                receive(my_x, sender_y, ready, arrived);
            } else {
                const uint32_t block = get_write_ptr(cb);
                uint32_t to = block;
                for (uint32_t k = 0; k < k_block; ++k)
                    for (uint32_t i = 0; i < columns; ++i, to += tile)
                        noc_async_read_page((step * k_block + k) * n_tiles + left + i, b, to);
                noc_async_read_barrier();
                send<false>(block, block, tiles * tile, column, column.count, ready, arrived);
            }
            cb_push_back(cb, tiles);
        }
        if (!writes) continue;
        for (uint32_t r = 0; r < rows; r += sub_m) {
            for (uint32_t i = 0; i < columns; i += sub_n) {
                cb_wait_front(out, sub_m * sub_n);
                uint32_t from = get_read_ptr(out);
                for (uint32_t y = 0; y < sub_m; ++y)
                    for (uint32_t x = 0; x < sub_n; ++x, from += out_tile)
                        noc_async_write_page((top + r + y) * n_tiles + left + i + x, c, from);
                noc_async_write_barrier();
                cb_pop_front(out, sub_m * sub_n);
            }
        }
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
