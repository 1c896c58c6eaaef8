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

// Where an element lies in a grid of tiles, each of which has four faces of 16x16.
inline uint32_t datum(uint32_t row, uint32_t col, uint32_t tiles_across) {
    const uint32_t tile = row / 32 * tiles_across + col / 32;
    const uint32_t face = row / 16 % 2 * 2 + col / 16 % 2;
    return tile * 1024 + face * 256 + row % 16 * 16 + col % 16;
}

void kernel_main() {
    constexpr uint32_t cb_X = tt::CBIndex::c_0;
    constexpr uint32_t cb_scratch_reader = tt::CBIndex::c_1;

    constexpr auto A_args = TensorAccessorArgs<0>();
    const auto A = TensorAccessor(A_args, get_common_arg_val<uint32_t>(0));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t block = first_block; block < end_block; ++block) {
        const int32_t bx = block % 2;
        const int32_t rest = block / 2;
        const int32_t by = rest % 3;
        const int32_t bz = rest / 3;
        const int32_t offset = by * 16;

        // load X from A
        cb_reserve_back(cb_X, 2);
        const int32_t X_at = get_write_ptr(cb_X);
        zero_bytes(get_write_ptr(cb_X), 2 * get_tile_size(cb_X));
        noc_async_read_barrier();
        cb_reserve_back(cb_scratch_reader, 1);  // tilesmith: allow cb.reserved-at-end (scratch memory)
        const int32_t scratch = get_write_ptr(cb_scratch_reader);
        for (int32_t line = 0; line < 16; ++line) {
            const int32_t page = (bx * 48 + offset + line) * 3 + bz;
            const int32_t run = scratch + line * 192;
            noc_async_read(A.get_noc_addr(page, 0), run, 128);
        }
        noc_async_read_barrier();
        for (int32_t line = 0; line < 16; ++line) {
            const int32_t run = scratch + line * 192;
            for (int32_t col = 0; col < 64; col += 16) {
                noc_async_read(get_noc_addr(run + col * 2), X_at + datum(line, col, 2) * 2, 32);
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_X, 2);
    }
}
