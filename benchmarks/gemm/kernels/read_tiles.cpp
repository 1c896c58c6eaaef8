// Reads one tile of A and one of B per step, for each output tile of this core's rectangle.
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t k_tiles = get_compile_time_arg_val(0);
    constexpr uint32_t n_tiles = get_compile_time_arg_val(1);
    constexpr auto a_args = TensorAccessorArgs<2>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1));
    const uint32_t first_row = get_arg_val<uint32_t>(2), rows = get_arg_val<uint32_t>(3);
    const uint32_t first_col = get_arg_val<uint32_t>(4), cols = get_arg_val<uint32_t>(5);
    constexpr uint32_t a_bytes = get_tile_size(0), b_bytes = get_tile_size(1);
    CircularBuffer a_cb(0), b_cb(1);
    Noc noc;
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        for (uint32_t col = first_col; col < first_col + cols; ++col) {
            for (uint32_t k = 0; k < k_tiles; ++k) {
                a_cb.reserve_back(1);
                b_cb.reserve_back(1);
                noc.async_read(a, a_cb, a_bytes, {.page_id = row * k_tiles + k}, {});
                noc.async_read(b, b_cb, b_bytes, {.page_id = k * n_tiles + col}, {});
                noc.async_read_barrier();
                a_cb.push_back(1);
                b_cb.push_back(1);
            }
        }
    }
}
