// Reads tiles and gives each to every core of a rectangle, this one included, as soon as all of them have room.
#include <cstdint>

#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    const uint32_t x_start = get_arg_val<uint32_t>(2);
    const uint32_t y_start = get_arg_val<uint32_t>(3);
    const uint32_t x_end = get_arg_val<uint32_t>(4);
    const uint32_t y_end = get_arg_val<uint32_t>(5);
    const uint32_t others = get_arg_val<uint32_t>(6);
    constexpr uint32_t cb_staging_id = get_compile_time_arg_val(0);
    constexpr uint32_t cb_id = get_compile_time_arg_val(1);
    Semaphore<> ready(get_compile_time_arg_val(2));
    Semaphore<> arrived(get_compile_time_arg_val(3));
    constexpr auto accessor_args = TensorAccessorArgs<4>();
    constexpr uint32_t bytes = get_tile_size(cb_id);

    const auto tensor = TensorAccessor(accessor_args, address);
    CircularBuffer staging(cb_staging_id);
    CircularBuffer cb(cb_id);
    Noc noc;
    staging.reserve_back(1);  // one page of scratch, never handed to anyone
    arrived.set(1);
    for (uint32_t page = 0; page < tiles; ++page) {
        noc.async_read(tensor, staging, bytes, {.page_id = page}, {.offset_bytes = 0});
        noc.async_read_barrier();
        cb.reserve_back(1);
        ready.wait(others);
        ready.set(0);
        noc.async_write_multicast<NocOptions::MCAST_INCL_SRC>(
            use<CircularBuffer::AddrSelector::WRITE_PTR>(staging),
            cb,
            bytes,
            others + 1,
            {.offset_bytes = 0},
            {.noc_x_start = x_start, .noc_y_start = y_start, .noc_x_end = x_end, .noc_y_end = y_end, .offset_bytes = 0});
        arrived.set_multicast(noc, x_start, y_start, x_end, y_end, others);
        noc.async_write_barrier();  // this core's own copy has landed, and the scratch page may be reused
        cb.push_back(1);
    }
}
