// Elementwise on the vector unit: operands to DST 0, 1, 2; BEFORE_A, BEFORE_B, BEFORE_C on each; COMBINE to DST 0;
// AFTER on it. The host defines these as statements; numbers in them are common runtime arguments. LOAD_A,
// LOAD_B, LOAD_C load the operands that are tensors; the others are filled in by the statements before.
// Per core: number of tiles.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"
#include "../../kernels/pack_result.hpp"
#include "steps.hpp"

constexpr uint32_t cb_out = 16;

// From the front of a circular buffer to the DST tile of the same number.
inline void load(uint32_t cb) {
#if OPERANDS > 1
    reconfig_data_format_srca(cb);
    copy_init(cb);
#endif
    cb_wait_front(cb, 1);
    copy_tile(cb, 0, cb);
    cb_pop_front(cb, 1);
}

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(FIRST_CB, cb_out);
    copy_init(FIRST_CB);
    for (uint32_t i = 0; i < count; ++i) {
        tile_regs_acquire();
        LOAD_A
        BEFORE_A
        LOAD_B
        BEFORE_B
        LOAD_C
        BEFORE_C
        COMBINE
        AFTER
        pack_result(0, cb_out);
    }
}
