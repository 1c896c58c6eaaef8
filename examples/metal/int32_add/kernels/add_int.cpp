// out = a + b for 32-bit integers: both operands go to 32-bit DST untouched and the vector unit adds them.
#include <cstdint>

#include "api/compute/add_int_sfpu.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);

    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    copy_init(cb_a);  // b has the same format and tile shape
    add_int_tile_init();
    for (uint32_t i = 0; i < count; ++i) {
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        tile_regs_acquire();
        copy_tile(cb_a, 0, 0);
        copy_tile(cb_b, 0, 1);
        add_int_tile<DataFormat::Int32>(0, 1, 0);
        tile_regs_commit();
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);

        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}
