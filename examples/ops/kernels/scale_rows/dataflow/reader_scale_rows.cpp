// scale_rows, reader: the weight once, then rows of tiles of the input.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

template <typename Accessor>
void read_row(const Accessor& tensor, uint32_t cb, uint32_t row, uint32_t pages) {
    cb_reserve_back(cb, pages);
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read_page(row * pages + page, tensor, get_write_ptr(cb) + page * tensor.get_aligned_page_size());
    }
    noc_async_read_barrier();
    cb_push_back(cb, pages);
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_weight = get_compile_time_arg_val(1);
    constexpr auto input_args = TensorAccessorArgs<2>();
    constexpr auto weight_args = TensorAccessorArgs<input_args.next_compile_time_args_offset()>();
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(0));
    const auto weight = TensorAccessor(weight_args, get_arg_val<uint32_t>(1));
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t units = get_arg_val<uint32_t>(3);
    const uint32_t Wt = get_arg_val<uint32_t>(4);

    read_row(weight, cb_weight, 0, Wt);
    for (uint32_t row = first; row < first + units; ++row) {
        read_row(input, cb_in, row, Wt);
    }
}
