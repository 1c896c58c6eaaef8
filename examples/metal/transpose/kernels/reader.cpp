// Reads tiles in the order of the transposed matrix: output tile (w, h) comes from input tile (h, w).
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const uint32_t height = get_arg_val<uint32_t>(3);
    const uint32_t width = get_arg_val<uint32_t>(4);
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto accessor_args = TensorAccessorArgs<1>();

    const auto tensor = TensorAccessor(accessor_args, address);
    for (uint32_t out = first; out < first + count; ++out) {
        const uint32_t w = out / height;
        const uint32_t h = out % height;
        cb_reserve_back(cb, 1);
        noc_async_read_page(h * width + w, tensor, get_write_ptr(cb));
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}
