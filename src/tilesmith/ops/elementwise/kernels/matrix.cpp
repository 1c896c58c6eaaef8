// a + b, a - b or a * b on the matrix engine (the host defines INIT and COMBINE), then AFTER on the vector unit.
// Per core: number of tiles.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "../../kernels/pack_result.hpp"
#include "steps.hpp"

constexpr uint32_t cb_a = 0, cb_b = 1, cb_out = 16;

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    INIT(cb_a, cb_b);
    for (uint32_t i = 0; i < count; ++i) {
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        tile_regs_acquire();
        COMBINE(cb_a, cb_b, 0, 0, 0);
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
        AFTER
        pack_result(0, cb_out);
    }
}
