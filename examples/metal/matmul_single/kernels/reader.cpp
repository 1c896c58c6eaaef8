// For every output tile (m, n), streams row m of A and column n of B, one tile of each at a time.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address_a = get_arg_val<uint32_t>(0);
    const uint32_t address_b = get_arg_val<uint32_t>(1);
    const uint32_t m_tiles = get_arg_val<uint32_t>(2);
    const uint32_t k_tiles = get_arg_val<uint32_t>(3);
    const uint32_t n_tiles = get_arg_val<uint32_t>(4);
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr auto args_a = TensorAccessorArgs<2>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();

    const auto a = TensorAccessor(args_a, address_a);
    const auto b = TensorAccessor(args_b, address_b);
    for (uint32_t m = 0; m < m_tiles; ++m) {
        for (uint32_t n = 0; n < n_tiles; ++n) {
            for (uint32_t k = 0; k < k_tiles; ++k) {
                cb_reserve_back(cb_a, 1);
                noc_async_read_page(m * k_tiles + k, a, get_write_ptr(cb_a));
                noc_async_read_barrier();
                cb_push_back(cb_a, 1);

                cb_reserve_back(cb_b, 1);
                noc_async_read_page(k * n_tiles + n, b, get_write_ptr(cb_b));
                noc_async_read_barrier();
                cb_push_back(cb_b, 1);
            }
        }
    }
}
