// Feeds softmax: a tile of ones as reduce scaler, then whole rows of tiles.
#include <cstdint>

#include "../../common/kernels/constant_tile.h"
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_scaler = get_compile_time_arg_val(1);
    constexpr uint32_t width = get_compile_time_arg_val(2);
    constexpr auto accessor_args = TensorAccessorArgs<3>();
    constexpr uint32_t two_bf16_ones = 0x3f803f80;
    const uint32_t bytes = get_tile_size(cb_in);

    push_constant_tile(cb_scaler, two_bf16_ones);
    const auto tensor = TensorAccessor(accessor_args, address);
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        cb_reserve_back(cb_in, width);
        const uint32_t target = get_write_ptr(cb_in);
        for (uint32_t column = 0; column < width; ++column) {
            noc_async_read_page(row * width + column, tensor, target + column * bytes);
        }
        noc_async_read_barrier();
        cb_push_back(cb_in, width);
    }
}
