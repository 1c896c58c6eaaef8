// Writes blocks of output tiles: a block is rows x columns tiles, as many columns as the output has.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const uint32_t block = get_arg_val<uint32_t>(3);
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();

    const auto out = TensorAccessor(args, address);
    for (uint32_t page = first; page < first + count; page += block) {
        cb_wait_front(cb, block);
        uint32_t from = get_read_ptr(cb);
        for (uint32_t i = 0; i < block; ++i, from += get_tile_size(cb)) {
            noc_async_write_page(page + i, out, from);
        }
        noc_async_writes_flushed();
        cb_pop_front(cb, block);
    }
    noc_async_write_barrier();
}
