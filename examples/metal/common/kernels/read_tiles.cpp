// Reads `count` consecutive tiles of one tensor, one at a time, into a circular buffer.
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
        cb.reserve_back(1);
        noc.async_read(tensor, cb, get_tile_size(cb_id), {.page_id = page}, {.offset_bytes = 0});
        noc.async_read_barrier();
        cb.push_back(1);
    }
}
