// The weights once, then the rows of A: one tile, one barrier.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address_a = get_arg_val<uint32_t>(0);
    const uint32_t address_b = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const uint32_t b_tiles = get_arg_val<uint32_t>(4);
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr auto args_a = TensorAccessorArgs<2>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();

    const auto a = TensorAccessor(args_a, address_a);
    const auto b = TensorAccessor(args_b, address_b);
    for (uint32_t i = 0; i < b_tiles; ++i) {
        cb_reserve_back(cb_b, 1);
        noc_async_read_page(i, b, get_write_ptr(cb_b));
        noc_async_read_barrier();
        cb_push_back(cb_b, 1);
    }
    for (uint32_t page = first; page < first + count; ++page) {
        cb_reserve_back(cb_a, 1);
        noc_async_read_page(page, a, get_write_ptr(cb_a));
        noc_async_read_barrier();
        cb_push_back(cb_a, 1);
    }
}
