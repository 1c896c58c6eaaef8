// Tiles of random numbers from a range. Common: lowest, width of the range, seed. Per core: number of tiles.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/rand.h"
#include "../../kernels/pack_result.hpp"

constexpr uint32_t cb_out = 16;

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    const uint32_t low = get_common_arg_val<uint32_t>(0), width = get_common_arg_val<uint32_t>(1);
    const uint32_t core = get_absolute_logical_y() * 64 + get_absolute_logical_x();
    compute_kernel_hw_startup(cb_out, cb_out);
    rand_tile_init(get_common_arg_val<uint32_t>(2) + core * 7919);
    for (uint32_t i = 0; i < count; ++i) {
        tile_regs_acquire();
        rand_tile(0, low, width);
        pack_result(0, cb_out);
    }
}
