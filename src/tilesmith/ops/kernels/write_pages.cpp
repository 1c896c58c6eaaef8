// Writes consecutive pages of a tensor from a circular buffer.
// Compile time: circular buffer, tensor. Common: tensor. Per core: first page, number of pages.
#include <cstdint>

#include "tensor.hpp"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    uint32_t common = 0;
    const auto target = tensor_at<1>(common);
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    const uint32_t bytes = get_tile_size(cb);

    for (uint32_t page = first; page < first + count; ++page) {
        cb_wait_front(cb, 1);
        noc_async_write(get_read_ptr(cb), target.get_noc_addr(page), bytes);
        noc_async_writes_flushed();
        cb_pop_front(cb, 1);
    }
    noc_async_write_barrier();
}
