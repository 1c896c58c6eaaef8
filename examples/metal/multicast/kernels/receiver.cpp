// Says that it has room, waits for the tile to arrive, and passes it on.
#include <cstdint>

#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"

void kernel_main() {
    const uint32_t sender_x = get_arg_val<uint32_t>(0);
    const uint32_t sender_y = get_arg_val<uint32_t>(1);
    const uint32_t tiles = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb_id = get_compile_time_arg_val(0);
    Semaphore<> ready(get_compile_time_arg_val(1));
    Semaphore<> arrived(get_compile_time_arg_val(2));

    CircularBuffer cb(cb_id);
    Noc noc;
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb.reserve_back(1);
        arrived.set(0);
        ready.up(noc, sender_x, sender_y, 1);
        arrived.wait(1);
        cb.push_back(1);
    }
    noc.async_atomic_barrier();
}
