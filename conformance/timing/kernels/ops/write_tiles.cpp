// Writes runs of tiles, as read_tiles.cpp reads them. After each step it waits until they have left, or arrived.
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0), first = get_arg_val<uint32_t>(1);
    const uint32_t outer = get_arg_val<uint32_t>(2), outer_stride = get_arg_val<uint32_t>(3);
    const uint32_t groups = get_arg_val<uint32_t>(4), group_stride = get_arg_val<uint32_t>(5);
    const uint32_t size = get_arg_val<uint32_t>(6);
    constexpr uint32_t cb = get_compile_time_arg_val(0), step = get_compile_time_arg_val(1);
    constexpr bool arrived = get_compile_time_arg_val(2);
    constexpr auto args = TensorAccessorArgs<3>();
    const auto target = TensorAccessor(args, address);
    const uint32_t tile = get_tile_size(cb);

    for (uint32_t o = 0; o < outer; ++o)
        for (uint32_t g = 0; g < groups; ++g)
            for (uint32_t i = 0; i < size; i += step) {
                cb_wait_front(cb, step);
                uint32_t from = get_read_ptr(cb);
                for (uint32_t j = 0; j < step; ++j, from += tile)
                    noc_async_write_page(first + o * outer_stride + g * group_stride + i + j, target, from);
                if constexpr (arrived) noc_async_write_barrier();
                else noc_async_writes_flushed();
                cb_pop_front(cb, step);
            }
    noc_async_write_barrier();
}
