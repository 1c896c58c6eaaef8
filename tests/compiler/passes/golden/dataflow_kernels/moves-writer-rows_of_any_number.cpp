// move_writer: takes results from the core to DRAM.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_X = tt::CBIndex::c_0;

    const int32_t m = get_common_arg_val<int32_t>(1);
    constexpr auto C_args = TensorAccessorArgs<0>();
    const auto C = TensorAccessor(C_args, get_common_arg_val<uint32_t>(0));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    const int32_t tile_rows = (m + 31) / 32;
    for (int32_t bx = first_block; bx < end_block; ++bx) {
        // store X to C
        cb_wait_front(cb_X, 3);
        for (int32_t col = 0; col < 3; ++col) {
            const int32_t page = bx * 3 + col;
            if (bx < tile_rows) {
                noc_async_write_page(page, C, get_read_ptr(cb_X) + col * get_tile_size(cb_X));
            }
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_X, 3);
    }
    noc_async_write_barrier();
}
