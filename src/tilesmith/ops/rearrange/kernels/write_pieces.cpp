// Writes consecutive pages, each in pieces of at most PIECE bytes, from a circular buffer.
// Compile time: circular buffer, PIECE, tensor. Per core: first page, number of pages. Common: bytes of a page, tensor.
#include <cstdint>

#include "../../kernels/tensor.hpp"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0), piece = get_compile_time_arg_val(1);
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    const uint32_t page_bytes = get_common_arg_val<uint32_t>(0);
    uint32_t common = 1;
    const auto target = tensor_at<2>(common);

    for (uint32_t page = first; page < first + count; ++page) {
        for (uint32_t done = 0; done < page_bytes; done += piece) {
            const uint32_t left = page_bytes - done;
            cb_wait_front(cb, 1);
            noc_async_write(get_read_ptr(cb), target.get_noc_addr(page, done), left < piece ? left : piece);
            noc_async_writes_flushed();
            cb_pop_front(cb, 1);
        }
    }
    noc_async_write_barrier();
}
