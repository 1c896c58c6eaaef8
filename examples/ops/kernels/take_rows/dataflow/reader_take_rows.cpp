// take_rows, reader: the number of a row, then that row of the table.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_index = get_compile_time_arg_val(0);
    constexpr uint32_t cb_row = get_compile_time_arg_val(1);
    constexpr auto index_args = TensorAccessorArgs<2>();
    constexpr auto table_args = TensorAccessorArgs<index_args.next_compile_time_args_offset()>();
    const auto index = TensorAccessor(index_args, get_arg_val<uint32_t>(0));
    const auto table = TensorAccessor(table_args, get_arg_val<uint32_t>(1));
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t units = get_arg_val<uint32_t>(3);

    for (uint32_t row = first; row < first + units; ++row) {
        cb_reserve_back(cb_index, 1);
        noc_async_read_page(row, index, get_write_ptr(cb_index));
        noc_async_read_barrier();
        cb_push_back(cb_index, 1);

        cb_wait_front(cb_index, 1);
        const uint32_t taken = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(cb_index));
        cb_pop_front(cb_index, 1);

        cb_reserve_back(cb_row, 1);
        noc_async_read_page(taken, table, get_write_ptr(cb_row));
        noc_async_read_barrier();
        cb_push_back(cb_row, 1);
    }
}
