// Reads a column strip of A (rows x k_step tiles) and a row strip of B (k_step x cols tiles) per step.
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t k_tiles = get_compile_time_arg_val(0);
    constexpr uint32_t n_tiles = get_compile_time_arg_val(1);
    constexpr uint32_t k_step = get_compile_time_arg_val(2);
    constexpr uint32_t rows = get_compile_time_arg_val(3);
    constexpr uint32_t cols = get_compile_time_arg_val(4);
    constexpr auto a_args = TensorAccessorArgs<5>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1));
    const uint32_t first_row = get_arg_val<uint32_t>(2), first_col = get_arg_val<uint32_t>(3);
    constexpr uint32_t a_bytes = get_tile_size(0), b_bytes = get_tile_size(1);
    CircularBuffer a_cb(0), b_cb(1);
    Noc noc;
    for (uint32_t k = 0; k < k_tiles; k += k_step) {
        a_cb.reserve_back(rows * k_step);
        b_cb.reserve_back(k_step * cols);
        for (uint32_t row = 0, at = 0; row < rows; ++row) {
            for (uint32_t i = 0; i < k_step; ++i, at += a_bytes) {
                noc.async_read(a, a_cb, a_bytes, {.page_id = (first_row + row) * k_tiles + k + i}, {.offset_bytes = at});
            }
        }
        for (uint32_t i = 0, at = 0; i < k_step; ++i) {
            for (uint32_t col = 0; col < cols; ++col, at += b_bytes) {
                noc.async_read(b, b_cb, b_bytes, {.page_id = (k + i) * n_tiles + first_col + col}, {.offset_bytes = at});
            }
        }
        noc.async_read_barrier();
        a_cb.push_back(rows * k_step);
        b_cb.push_back(k_step * cols);
    }
}
