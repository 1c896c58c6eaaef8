// A tile of ones, then tiles one by one.
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0), first = get_arg_val<uint32_t>(1),
                   tiles = get_arg_val<uint32_t>(2);
    constexpr uint32_t in = 0, scaler = 1;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(args, address);

    cb_reserve_back(scaler, 1);
    cb_push_back(scaler, 1);
    for (uint32_t i = first; i < first + tiles; ++i) {
        cb_reserve_back(in, 1);
        noc_async_read_page(i, source, get_write_ptr(in));
        noc_async_read_barrier();
        cb_push_back(in, 1);
    }
}
