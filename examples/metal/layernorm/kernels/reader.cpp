// Feeds layernorm: 1 / width as reduce scaler, gamma and beta once, then whole rows of tiles.
#include <cstdint>

#include "../../common/kernels/constant_tile.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

// Reads one row of tiles of `tensor` into `cb_id`.
template <uint32_t cb_id, uint32_t width, typename Accessor>
void read_row(const Noc& noc, const Accessor& tensor, uint32_t row) {
    CircularBuffer cb(cb_id);
    constexpr uint32_t bytes = get_tile_size(cb_id);
    cb.reserve_back(width);
    for (uint32_t i = 0; i < width; ++i) {
        noc.async_read(tensor, cb, bytes, {.page_id = row * width + i}, {.offset_bytes = i * bytes});
    }
    noc.async_read_barrier();
    cb.push_back(width);
}

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t gamma_address = get_arg_val<uint32_t>(1);
    const uint32_t beta_address = get_arg_val<uint32_t>(2);
    const uint32_t first_row = get_arg_val<uint32_t>(3);
    const uint32_t rows = get_arg_val<uint32_t>(4);
    const uint32_t one_over_width = get_arg_val<uint32_t>(5);  // float32 bits
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_scaler = get_compile_time_arg_val(1);
    constexpr uint32_t cb_gamma = get_compile_time_arg_val(2);
    constexpr uint32_t cb_beta = get_compile_time_arg_val(3);
    constexpr uint32_t width = get_compile_time_arg_val(4);
    constexpr auto args_in = TensorAccessorArgs<5>();
    constexpr auto args_gamma = TensorAccessorArgs<args_in.next_compile_time_args_offset()>();
    constexpr auto args_beta = TensorAccessorArgs<args_gamma.next_compile_time_args_offset()>();

    Noc noc;
    const auto tensor = TensorAccessor(args_in, address);
    push_constant_tile(cb_scaler, one_over_width);
    read_row<cb_gamma, width>(noc, TensorAccessor(args_gamma, gamma_address), 0);
    read_row<cb_beta, width>(noc, TensorAccessor(args_beta, beta_address), 0);
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        read_row<cb_in, width>(noc, tensor, row);
    }
}
