// Turns tiles into rows of row-major data. DST holds `block` tiles of the row at a time.
#include <cstdint>

#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack_untilize.h"
#include "api/dataflow/circular_buffer.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_in_id = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out_id = get_compile_time_arg_val(1);
    constexpr uint32_t width = get_compile_time_arg_val(2);
    constexpr uint32_t block = get_compile_time_arg_val(3);

    CircularBuffer cb_in(cb_in_id);
    CircularBuffer cb_out(cb_out_id);
    compute_kernel_hw_startup(cb_in_id, cb_out_id);
    pack_untilize_init<block, width>(cb_in_id, cb_out_id);
    for (uint32_t i = 0; i < count; ++i) {
        cb_out.reserve_back(width);
        for (uint32_t part = 0; part < width / block; ++part) {
            cb_in.wait_front(block);
            pack_untilize_block<block, width>(cb_in_id, 1, cb_out_id, part);
            cb_in.pop_front(block);
        }
        cb_out.push_back(width);
    }
    pack_untilize_uninit(cb_out_id);
}
