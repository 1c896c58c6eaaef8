// Hands out or takes away pages without looking at them, so that only the compute kernel takes time.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr bool gives = get_compile_time_arg_val(1);
    const uint32_t steps = get_arg_val<uint32_t>(0), pages = get_arg_val<uint32_t>(1);
    for (uint32_t i = 0; i < steps; ++i) {
        if constexpr (gives) cb_reserve_back(cb, pages), cb_push_back(cb, pages);
        else cb_wait_front(cb, pages), cb_pop_front(cb, pages);
    }
}
