// Writes the sums.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t result_cb = 2;
    constexpr uint32_t bytes = get_compile_time_arg_val(0);
    constexpr auto result_args = TensorAccessorArgs<1>();
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(0));
    const uint32_t first = get_arg_val<uint32_t>(1), count = get_arg_val<uint32_t>(2);

    for (uint32_t i = first; i < first + count; ++i) {
        cb_wait_front(result_cb, 1);
        noc_async_write(get_read_ptr(result_cb), result.get_noc_addr(i), bytes);
        noc_async_writes_flushed();
        cb_pop_front(result_cb, 1);
    }
    noc_async_write_barrier();
}
