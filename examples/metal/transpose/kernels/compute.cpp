// Transposes each tile on its way from L1 to DST.
#include <cstdint>

#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"
#include "api/compute/transpose.h"
#include "api/dataflow/circular_buffer.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_in_id = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out_id = get_compile_time_arg_val(1);

    CircularBuffer cb_in(cb_in_id);
    CircularBuffer cb_out(cb_out_id);
    compute_kernel_hw_startup(cb_in_id, cb_out_id);
    transpose_init(cb_in_id);
    for (uint32_t i = 0; i < count; ++i) {
        cb_in.wait_front(1);
        tile_regs_acquire();
        transpose_tile(cb_in_id, 0, 0);
        tile_regs_commit();
        cb_in.pop_front(1);

        cb_out.reserve_back(1);
        tile_regs_wait();
        pack_tile(0, cb_out_id);
        tile_regs_release();
        cb_out.push_back(1);
    }
}
