// Where the rows of a sequence go stands in a page table that every core reads whole; then rows of tiles, one by one.
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0), table_address = get_arg_val<uint32_t>(1);
    const uint32_t table_bytes = get_arg_val<uint32_t>(2), first = get_arg_val<uint32_t>(3);
    const uint32_t rows = get_arg_val<uint32_t>(4);
    constexpr uint32_t in = 0, table_cb = 1, width = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    constexpr auto table_args = TensorAccessorArgs<args.next_compile_time_args_offset()>();
    const auto target = TensorAccessor(args, address);
    const auto table = TensorAccessor(table_args, table_address);
    const uint32_t tile = get_tile_size(in);

    cb_reserve_back(table_cb, 1);
    noc_async_read(table.get_noc_addr(0), get_write_ptr(table_cb), table_bytes);
    noc_async_read_barrier();
    for (uint32_t row = first; row < first + rows; ++row) {
        cb_wait_front(in, width);
        uint32_t from = get_read_ptr(in);
        for (uint32_t i = 0; i < width; ++i, from += tile) noc_async_write_page(row * width + i, target, from);
        noc_async_write_barrier();
        cb_pop_front(in, width);
    }
}
