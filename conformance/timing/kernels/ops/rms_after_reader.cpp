// Gathered statistics, a row of tiles and, once, the weights of each of its tiles: a row of 64 bytes, half of which moves
// to the tile's second face.
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0), stats_address = get_arg_val<uint32_t>(1);
    const uint32_t gamma_address = get_arg_val<uint32_t>(2), first_row = get_arg_val<uint32_t>(3);
    const uint32_t rows = get_arg_val<uint32_t>(4), width = get_arg_val<uint32_t>(5);
    const uint32_t stats = get_arg_val<uint32_t>(6);
    constexpr uint32_t in = 0, stats_cb = 1, gamma_cb = 2, step = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    constexpr auto stats_args = TensorAccessorArgs<args.next_compile_time_args_offset()>();
    constexpr auto gamma_args = TensorAccessorArgs<stats_args.next_compile_time_args_offset()>();
    const auto source = TensorAccessor(args, address);
    const auto statistics = TensorAccessor(stats_args, stats_address);
    const auto weights = TensorAccessor(gamma_args, gamma_address);
    const uint32_t tile = get_tile_size(in), stats_tile = get_tile_size(stats_cb), gamma_tile = get_tile_size(gamma_cb);

    cb_reserve_back(4, 1);
    cb_push_back(4, 1);
    cb_reserve_back(5, 1);
    cb_push_back(5, 1);
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        cb_reserve_back(stats_cb, stats);
        uint32_t to = get_write_ptr(stats_cb);
        for (uint32_t i = 0; i < stats; ++i, to += stats_tile) noc_async_read_page(row * stats + i, statistics, to);
        noc_async_read_barrier();
        cb_push_back(stats_cb, stats);
        for (uint32_t i = 0; i < width; i += step) {
            cb_reserve_back(in, step);
            to = get_write_ptr(in);
            for (uint32_t j = 0; j < step; ++j, to += tile) noc_async_read_page(row * width + i + j, source, to);
            noc_async_read_barrier();
            cb_push_back(in, step);
        }
        if (row != first_row) continue;
        for (uint32_t i = 0; i < width; i += step) {
            cb_reserve_back(gamma_cb, step);
            to = get_write_ptr(gamma_cb);
            for (uint32_t j = 0; j < step; ++j, to += gamma_tile) {
                noc_async_read(weights.get_noc_addr(i + j), to, 64);
                noc_async_read_barrier();
                noc_async_read(get_noc_addr(to + 32), to + 512, 32);
            }
            noc_async_read_barrier();
            cb_push_back(gamma_cb, step);
        }
    }
}
