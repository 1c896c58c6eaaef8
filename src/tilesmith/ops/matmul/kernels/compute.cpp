// Tiles of a @ b, plus a tile of a bias with BIAS, then AFTER on the vector unit.
// Per core: number of tiles of the output. Common: tiles summed over, then the numbers AFTER takes.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/matmul.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"
#include "../../elementwise/kernels/steps.hpp"
#include "../../kernels/pack_result.hpp"

constexpr uint32_t cb_a = 0, cb_b = 1, cb_bias = 2, cb_out = 16;

inline void add_bias() {
    cb_wait_front(cb_bias, 1);
    reconfig_data_format_srca(cb_bias);
    copy_init(cb_bias);
    copy_tile(cb_bias, 0, 1);
    cb_pop_front(cb_bias, 1);
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);
}

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0), inner = get_common_arg_val<uint32_t>(0);
    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a, cb_b, cb_out);
    matmul_init(cb_a, cb_b);
    for (uint32_t i = 0; i < count; ++i) {
        tile_regs_acquire();
        for (uint32_t k = 0; k < inner; ++k) {
            cb_wait_front(cb_a, 1);
            cb_wait_front(cb_b, 1);
            matmul_tiles(cb_a, cb_b, 0, 0, 0);
            cb_pop_front(cb_a, 1);
            cb_pop_front(cb_b, 1);
        }
#ifdef BIAS
        add_bias();
        reconfig_data_format<SrcOrder::Reverse>(cb_a, cb_b);
        matmul_init(cb_a, cb_b);
#endif
        AFTER
        pack_result(0, cb_out);
    }
}
