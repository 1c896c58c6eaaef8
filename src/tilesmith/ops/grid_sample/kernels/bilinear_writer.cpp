// Bilinear sampling, the writing part: results go out in batches. `sets` results make one page of the output.
#include <cstdint>

#include "../../kernels/tensor.hpp"

void kernel_main() {
    constexpr uint32_t cb_out = get_compile_time_arg_val(0);
    const uint32_t sets = get_common_arg_val<uint32_t>(0);
    const uint32_t stick_bytes = get_common_arg_val<uint32_t>(1);
    const uint32_t batch = get_common_arg_val<uint32_t>(2);
    uint32_t common = 3;
    const auto output = tensor_at<1>(common);
    uint32_t page = get_arg_val<uint32_t>(0);
    uint32_t left = get_arg_val<uint32_t>(1);

    for (uint32_t set = 0; left > 0;) {
        const uint32_t count = left < batch ? left : batch;
        cb_wait_front(cb_out, count);
        uint32_t source = get_read_ptr(cb_out);
        for (uint32_t i = 0; i < count; ++i, source += stick_bytes) {
            noc_async_write(source, output.get_noc_addr(page, set * stick_bytes), stick_bytes);
            if (++set == sets) {
                set = 0;
                ++page;
            }
        }
        noc_async_write_barrier();
        cb_pop_front(cb_out, count);
        left -= count;
    }
}
