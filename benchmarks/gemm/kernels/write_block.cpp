// Writes this core's rows x cols block of output tiles in one go.
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t n_tiles = get_compile_time_arg_val(0);
    constexpr uint32_t rows = get_compile_time_arg_val(1);
    constexpr uint32_t cols = get_compile_time_arg_val(2);
    constexpr auto y_args = TensorAccessorArgs<3>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0));
    const uint32_t first_row = get_arg_val<uint32_t>(1), first_col = get_arg_val<uint32_t>(2);
    constexpr uint32_t bytes = get_tile_size(16);
    CircularBuffer y_cb(16);
    Noc noc;
    y_cb.wait_front(rows * cols);
    for (uint32_t row = 0, at = 0; row < rows; ++row) {
        for (uint32_t col = 0; col < cols; ++col, at += bytes) {
            noc.async_write(y_cb, y, bytes, {.offset_bytes = at}, {.page_id = (first_row + row) * n_tiles + first_col + col});
        }
    }
    noc.async_write_barrier();
    y_cb.pop_front(rows * cols);
}
