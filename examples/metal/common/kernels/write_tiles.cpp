// Writes `count` consecutive tiles from a circular buffer to one tensor.
#include <cstdint>

#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb_id = get_compile_time_arg_val(0);
    constexpr auto accessor_args = TensorAccessorArgs<1>();

    const auto tensor = TensorAccessor(accessor_args, address);
    CircularBuffer cb(cb_id);
    Noc noc;
    for (uint32_t page = first; page < first + count; ++page) {
        cb.wait_front(1);
        noc.async_write(cb, tensor, get_tile_size(cb_id), {.offset_bytes = 0}, {.page_id = page});
        // The page may be overwritten once its data has left; arrival is waited for once, at the end.
        noc.async_writes_flushed();
        cb.pop_front(1);
    }
    noc.async_write_barrier();
}
