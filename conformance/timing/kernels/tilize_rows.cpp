// Turns rows of tiles from row-major into tiles.
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tilize.h"

void kernel_main() {
    const uint32_t steps = get_arg_val<uint32_t>(0), width = get_arg_val<uint32_t>(1);
    compute_kernel_hw_startup(0, 16);
    tilize_init(0, width, 16);
    for (uint32_t i = 0; i < steps; ++i) {
        cb_wait_front(0, width);
        cb_reserve_back(16, width);
        tilize_block(0, width, 16);
        cb_push_back(16, width);
        cb_pop_front(0, width);
    }
}
