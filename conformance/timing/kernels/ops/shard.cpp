// A shard that lies in the circular buffer already: it is only said to be there, or waited for.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr bool gives = get_compile_time_arg_val(1);
    if constexpr (gives) cb_reserve_back(cb, tiles), cb_push_back(cb, tiles);
    else cb_wait_front(cb, tiles), cb_pop_front(cb, tiles);
}
