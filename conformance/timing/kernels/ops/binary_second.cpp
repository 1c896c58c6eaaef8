// The second operand and the result of a binary operation: one tile in, one tile out.
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0), out_address = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2), tiles = get_arg_val<uint32_t>(3);
    constexpr uint32_t in = 1, out = 2;
    constexpr auto args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<args.next_compile_time_args_offset()>();
    const auto source = TensorAccessor(args, address);
    const auto target = TensorAccessor(out_args, out_address);

    for (uint32_t i = first; i < first + tiles; ++i) {
        cb_reserve_back(in, 1);
        noc_async_read_page(i, source, get_write_ptr(in));
        noc_async_read_barrier();
        cb_push_back(in, 1);
        cb_wait_front(out, 1);
        noc_async_write_page(i, target, get_read_ptr(out));
        noc_async_write_barrier();
        cb_pop_front(out, 1);
    }
}
