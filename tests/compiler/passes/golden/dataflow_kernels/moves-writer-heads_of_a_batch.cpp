// move_writer: takes results from the core to DRAM.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

// Where an element lies in a grid of tiles, each of which has four faces of 16x16.
inline uint32_t datum(uint32_t row, uint32_t col, uint32_t tiles_across) {
    const uint32_t tile = row / 32 * tiles_across + col / 32;
    const uint32_t face = row / 16 % 2 * 2 + col / 16 % 2;
    return tile * 1024 + face * 256 + row % 16 * 16 + col % 16;
}

void kernel_main() {
    constexpr uint32_t cb_X = tt::CBIndex::c_0;

    constexpr auto C_args = TensorAccessorArgs<0>();
    const auto C = TensorAccessor(C_args, get_common_arg_val<uint32_t>(0));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t block = first_block; block < end_block; ++block) {
        const int32_t bx = block % 2;
        const int32_t rest = block / 2;
        const int32_t by = rest % 3;
        const int32_t bz = rest / 3;
        const int32_t offset = by * 16;

        // store X to C
        cb_wait_front(cb_X, 2);
        const int32_t X_at = get_read_ptr(cb_X);
        for (int32_t line = 0; line < 16; ++line) {
            for (int32_t col = 0; col < 64; col += 16) {
                noc_async_write(
                    X_at + datum(line, col, 2) * 2,
                    C.get_noc_addr((bx * 3 + bz) * 48 + offset + line, col * 2),
                    32);
            }
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_X, 2);
    }
    noc_async_write_barrier();
}
