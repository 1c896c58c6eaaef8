// The operands already lie in this core's L1, under their circular buffers: nothing is moved, only announced.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);

    cb_reserve_back(cb_a, tiles);
    cb_push_back(cb_a, tiles);
    cb_reserve_back(cb_b, tiles);
    cb_push_back(cb_b, tiles);
}
