// move_reader: brings data from DRAM to the core.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

// Zeros, copied from the core's own block of them: as with any read, a barrier must follow.
inline void zero_bytes(uint32_t target, uint32_t bytes) {
    while (bytes > 0) {
        const uint32_t piece = bytes < MEM_ZEROS_SIZE ? bytes : MEM_ZEROS_SIZE;
        noc_async_read(get_noc_addr(MEM_ZEROS_BASE), target, piece);
        target += piece;
        bytes -= piece;
    }
}

void kernel_main() {
    constexpr uint32_t cb_X = tt::CBIndex::c_0;

    constexpr auto A_args = TensorAccessorArgs<0>();
    const auto A = TensorAccessor(A_args, get_common_arg_val<uint32_t>(0));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t block = first_block; block < end_block; ++block) {
        const int32_t bx = block % 3;
        const int32_t by = block / 3;
        const int32_t first_row = by * 2;
        const int32_t first_col = bx * 2;

        // load X from A
        cb_reserve_back(cb_X, 4);
        for (int32_t row = 0; row < 2; ++row) {
            const int32_t tile_row = first_row + row;
            for (int32_t col = 0; col < 2; ++col) {
                const int32_t page = tile_row * 6 + first_col + col;
                const int32_t tile = row * 2 + col;
                if (tile_row < 5) {
                    noc_async_read_page(page, A, get_write_ptr(cb_X) + tile * get_tile_size(cb_X));
                } else {
                    zero_bytes(get_write_ptr(cb_X) + tile * get_tile_size(cb_X), get_tile_size(cb_X));
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_X, 4);
    }
}
