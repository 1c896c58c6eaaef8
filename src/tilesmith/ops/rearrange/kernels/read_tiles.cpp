// Reads the tiles of an output from where they are in an input, at constant distances along every axis.
// Compile time: circular buffer, tensor. Per core: first tile of the output, number of tiles.
// Common: first tile of the input, number of axes, extents of the output in tiles, strides in tiles, tensor.
#include <cstdint>

#include "../../kernels/tensor.hpp"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    const uint32_t origin = get_common_arg_val<uint32_t>(0), axes = get_common_arg_val<uint32_t>(1);
    const uint32_t extents = 2, strides = 2 + axes;
    uint32_t common = strides + axes;
    const auto source = tensor_at<1>(common);

    for (uint32_t tile = first; tile < first + count; ++tile) {
        uint32_t page = origin, rest = tile;
        for (uint32_t axis = axes; axis-- > 0;) {
            const uint32_t extent = get_common_arg_val<uint32_t>(extents + axis);
            page += rest % extent * get_common_arg_val<uint32_t>(strides + axis);
            rest /= extent;
        }
        cb_reserve_back(cb, 1);
        noc_async_read(source.get_noc_addr(page), get_write_ptr(cb), get_tile_size(cb));
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}
