// Writes 32 rows of row-major data for each row of tiles.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const uint32_t row_bytes = get_arg_val<uint32_t>(3);
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t width = get_compile_time_arg_val(1);
    constexpr auto accessor_args = TensorAccessorArgs<2>();
    constexpr uint32_t rows_per_tile = 32;

    const auto tensor = TensorAccessor(accessor_args, address);
    for (uint32_t tile_row = first; tile_row < first + count; ++tile_row) {
        cb_wait_front(cb, width);
        uint32_t source = get_read_ptr(cb);
        for (uint32_t row = tile_row * rows_per_tile; row < (tile_row + 1) * rows_per_tile; ++row) {
            noc_async_write(source, tensor.get_noc_addr(row), row_bytes);
            source += row_bytes;
        }
        noc_async_write_barrier();
        cb_pop_front(cb, width);
    }
}
