// masked_softmax, writer: rows of tiles, in the order they were read.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_out = get_compile_time_arg_val(0);
    constexpr auto output_args = TensorAccessorArgs<1>();
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(0));
    const uint32_t start_row = get_arg_val<uint32_t>(1);
    const uint32_t num_rows = get_arg_val<uint32_t>(2);
    const uint32_t Wt = get_arg_val<uint32_t>(3);
    const uint32_t bytes = get_tile_size(cb_out);

    for (uint32_t row = start_row; row < start_row + num_rows; ++row) {
        cb_wait_front(cb_out, Wt);
        const uint32_t source = get_read_ptr(cb_out);
        for (uint32_t column = 0; column < Wt; ++column) {
            noc_async_write_page(row * Wt + column, output, source + column * bytes);
        }
        noc_async_write_barrier();
        cb_pop_front(cb_out, Wt);
    }
}
