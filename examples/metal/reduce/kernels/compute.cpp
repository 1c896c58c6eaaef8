// Reduces groups of `length` tiles to one tile each. REDUCE_OP and REDUCE_DIM come from the host.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    const uint32_t length = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_scaler = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);

    compute_kernel_hw_startup(cb_in, cb_scaler, cb_out);
    reduce_init<REDUCE_OP, REDUCE_DIM>(cb_in, cb_scaler, cb_out);
    cb_wait_front(cb_scaler, 1);
    for (uint32_t result = 0; result < count; ++result) {
        tile_regs_acquire();
        for (uint32_t i = 0; i < length; ++i) {
            cb_wait_front(cb_in, 1);
            reduce_tile<REDUCE_OP, REDUCE_DIM>(cb_in, cb_scaler, 0, 0, 0);
            cb_pop_front(cb_in, 1);
        }
        tile_regs_commit();

        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
    cb_pop_front(cb_scaler, 1);
    reduce_uninit();
}
