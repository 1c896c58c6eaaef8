// Feeds reduce: a tile of ones as scaler, then for each of this core's results the tiles it is made of.
#include <cstdint>

#include "../../common/kernels/constant_tile.h"
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    // Result r is made of `length` tiles, `stride` apart, from (r / group) * group_stride + (r % group) * step on.
    const uint32_t group = get_arg_val<uint32_t>(3);
    const uint32_t group_stride = get_arg_val<uint32_t>(4);
    const uint32_t step = get_arg_val<uint32_t>(5);
    const uint32_t length = get_arg_val<uint32_t>(6);
    const uint32_t stride = get_arg_val<uint32_t>(7);
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_scaler = get_compile_time_arg_val(1);
    constexpr auto accessor_args = TensorAccessorArgs<2>();
    constexpr uint32_t two_bf16_ones = 0x3f803f80;

    push_constant_tile(cb_scaler, two_bf16_ones);
    const auto tensor = TensorAccessor(accessor_args, address);
    for (uint32_t result = first; result < first + count; ++result) {
        const uint32_t start = result / group * group_stride + result % group * step;
        for (uint32_t i = 0; i < length; ++i) {
            cb_reserve_back(cb_in, 1);
            noc_async_read_page(start + i * stride, tensor, get_write_ptr(cb_in));
            noc_async_read_barrier();
            cb_push_back(cb_in, 1);
        }
    }
}
