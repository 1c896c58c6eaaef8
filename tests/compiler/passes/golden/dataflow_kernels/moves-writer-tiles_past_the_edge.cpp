// move_writer: takes results from the core to DRAM.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_X = tt::CBIndex::c_0;

    constexpr auto C_args = TensorAccessorArgs<0>();
    const auto C = TensorAccessor(C_args, get_common_arg_val<uint32_t>(0));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t block = first_block; block < end_block; ++block) {
        const int32_t bx = block % 3;
        const int32_t by = block / 3;
        const int32_t first_row = by * 2;
        const int32_t first_col = bx * 2;

        // store X to C
        cb_wait_front(cb_X, 4);
        for (int32_t row = 0; row < 2; ++row) {
            const int32_t tile_row = first_row + row;
            for (int32_t col = 0; col < 2; ++col) {
                const int32_t page = tile_row * 6 + first_col + col;
                const int32_t tile = row * 2 + col;
                if (tile_row < 5) {
                    noc_async_write_page(page, C, get_read_ptr(cb_X) + tile * get_tile_size(cb_X));
                }
            }
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_X, 4);
    }
    noc_async_write_barrier();
}
