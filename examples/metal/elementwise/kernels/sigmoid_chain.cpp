// out = 1 / (1 + exp(-x)), as a chain of vector-unit steps on one DST tile.
#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"
#include "api/dataflow/circular_buffer.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_in_id = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out_id = get_compile_time_arg_val(1);
    constexpr uint32_t one = 0x3f800000;  // 1.0f

    CircularBuffer cb_in(cb_in_id);
    CircularBuffer cb_out(cb_out_id);
    compute_kernel_hw_startup(cb_in_id, cb_out_id);
    copy_init(cb_in_id);
    for (uint32_t i = 0; i < count; ++i) {
        cb_in.wait_front(1);
        tile_regs_acquire();
        copy_tile(cb_in_id, 0, 0);
        cb_in.pop_front(1);
        negative_tile_init();
        negative_tile(0);
        exp_tile_init();
        exp_tile(0);
        binop_with_scalar_tile_init();
        add_unary_tile(0, one);
        recip_tile_init();
        recip_tile(0);
        tile_regs_commit();

        cb_out.reserve_back(1);
        tile_regs_wait();
        pack_tile(0, cb_out_id);
        tile_regs_release();
        cb_out.push_back(1);
    }
}
