// The result is packed straight into the output shard: this only waits until all of it is there.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(0);

    cb_wait_front(cb_out, tiles);
    cb_pop_front(cb_out, tiles);
}
