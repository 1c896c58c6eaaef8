// Increments a word of another core, and waits for the answer each time.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t times = get_arg_val<uint32_t>(0), address = get_arg_val<uint32_t>(2);
    const uint64_t there = get_noc_addr(get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5), address);
    DeviceZoneScopedN("transfers");
    for (uint32_t i = 0; i < times; ++i) {
        noc_semaphore_inc(there, 1);
        noc_async_atomic_barrier();
    }
}
