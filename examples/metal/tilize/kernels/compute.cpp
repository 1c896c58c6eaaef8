// Turns rows of row-major data into tiles.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tilize.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr uint32_t width = get_compile_time_arg_val(2);

    compute_kernel_hw_startup(cb_in, cb_out);
    tilize_init(cb_in, width, cb_out);
    for (uint32_t i = 0; i < count; ++i) {
        cb_wait_front(cb_in, width);
        cb_reserve_back(cb_out, width);
        tilize_block(cb_in, width, cb_out);
        cb_push_back(cb_out, width);
        cb_pop_front(cb_in, width);
    }
    tilize_uninit(cb_in, cb_out);
}
