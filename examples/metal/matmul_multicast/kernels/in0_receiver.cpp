// Other cores of a row: take the blocks of A that the first core multicasts.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "multicast_block.h"

void kernel_main() {
    const uint32_t sender_x = get_arg_val<uint32_t>(0);
    const uint32_t sender_y = get_arg_val<uint32_t>(1);
    const uint32_t blocks = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t block_tiles = get_compile_time_arg_val(1);
    const uint32_t ready = get_semaphore(get_compile_time_arg_val(2));
    const uint32_t arrived = get_semaphore(get_compile_time_arg_val(3));

    for (uint32_t block = 0; block < blocks; ++block) {
        cb_reserve_back(cb, block_tiles);
        receive_block(sender_x, sender_y, ready, arrived);
        cb_push_back(cb, block_tiles);
    }
    noc_async_atomic_barrier();
}
