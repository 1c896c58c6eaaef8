// Each row of tiles of a fused tensor goes to the heads of q, k and v, one tile at a time.
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t q = get_arg_val<uint32_t>(0), k = get_arg_val<uint32_t>(1), v = get_arg_val<uint32_t>(2);
    const uint32_t first = get_arg_val<uint32_t>(3), rows = get_arg_val<uint32_t>(4), height = get_arg_val<uint32_t>(5);
    const uint32_t q_heads = get_arg_val<uint32_t>(6), kv_heads = get_arg_val<uint32_t>(7);
    const uint32_t width = get_arg_val<uint32_t>(8);
    constexpr uint32_t cb = 1;
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t addresses[3] = {q, k, v}, heads[3] = {q_heads, kv_heads, kv_heads};

    for (uint32_t row = first; row < first + rows; ++row)
        for (uint32_t part = 0; part < 3; ++part) {
            const auto target = TensorAccessor(args, addresses[part]);
            for (uint32_t head = 0; head < heads[part]; ++head)
                for (uint32_t i = 0; i < width; ++i) {
                    cb_wait_front(cb, 1);
                    noc_async_write_page((head * height + row) * width + i, target, get_read_ptr(cb));
                    noc_async_write_barrier();
                    cb_pop_front(cb, 1);
                }
        }
}
