// Writes this core's rectangle of output tiles, one tile per step, row by row.
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t n_tiles = get_compile_time_arg_val(0);
    constexpr auto y_args = TensorAccessorArgs<1>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0));
    const uint32_t first_row = get_arg_val<uint32_t>(1), rows = get_arg_val<uint32_t>(2);
    const uint32_t first_col = get_arg_val<uint32_t>(3), cols = get_arg_val<uint32_t>(4);
    CircularBuffer y_cb(16);
    Noc noc;
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        for (uint32_t col = first_col; col < first_col + cols; ++col) {
            y_cb.wait_front(1);
            noc.async_write(y_cb, y, get_tile_size(16), {}, {.page_id = row * n_tiles + col});
            noc.async_write_barrier();
            y_cb.pop_front(1);
        }
    }
}
