// Reads runs of tiles of a tensor: `outer` times `groups` runs of `size`, with a barrier after each step of them.
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0), first = get_arg_val<uint32_t>(1);
    const uint32_t outer = get_arg_val<uint32_t>(2), outer_stride = get_arg_val<uint32_t>(3);
    const uint32_t groups = get_arg_val<uint32_t>(4), group_stride = get_arg_val<uint32_t>(5);
    const uint32_t size = get_arg_val<uint32_t>(6);
    constexpr uint32_t cb = get_compile_time_arg_val(0), step = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    const auto source = TensorAccessor(args, address);
    const uint32_t tile = get_tile_size(cb);

    for (uint32_t o = 0; o < outer; ++o)
        for (uint32_t g = 0; g < groups; ++g)
            for (uint32_t i = 0; i < size; i += step) {
                cb_reserve_back(cb, step);
                uint32_t to = get_write_ptr(cb);
                for (uint32_t j = 0; j < step; ++j, to += tile)
                    noc_async_read_page(first + o * outer_stride + g * group_stride + i + j, source, to);
                noc_async_read_barrier();
                cb_push_back(cb, step);
            }
}
