// add_reader: brings data from DRAM to the core.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_A_shared = tt::CBIndex::c_0;
    constexpr uint32_t cb_B_shared = tt::CBIndex::c_1;

    constexpr auto A_args = TensorAccessorArgs<0>();
    const auto A = TensorAccessor(A_args, get_common_arg_val<uint32_t>(0));
    constexpr auto B_args = TensorAccessorArgs<A_args.next_compile_time_args_offset()>();
    const auto B = TensorAccessor(B_args, get_common_arg_val<uint32_t>(1));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t block = first_block; block < end_block; ++block) {
        const int32_t bx = block % 4;
        const int32_t by = block / 4;
        const int32_t first_row = by * 2;
        const int32_t first_col = bx * 2;

        // load A_shared from A
        cb_reserve_back(cb_A_shared, 4);
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t col = 0; col < 2; ++col) {
                const int32_t page = (first_row + row) * 8 + first_col + col;
                const int32_t tile = row * 2 + col;
                noc_async_read_page(page, A, get_write_ptr(cb_A_shared) + tile * get_tile_size(cb_A_shared));
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_A_shared, 4);

        // load B_shared from B
        cb_reserve_back(cb_B_shared, 4);
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t col = 0; col < 2; ++col) {
                const int32_t page = (first_row + row) * 8 + first_col + col;
                const int32_t tile = row * 2 + col;
                noc_async_read_page(page, B, get_write_ptr(cb_B_shared) + tile * get_tile_size(cb_B_shared));
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_B_shared, 4);
    }
}

// add_compute: works on tiles.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"

void kernel_main() {
    constexpr uint32_t cb_A_shared = tt::CBIndex::c_0;
    constexpr uint32_t cb_B_shared = tt::CBIndex::c_1;
    constexpr uint32_t cb_C_local = tt::CBIndex::c_2;

    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    compute_kernel_hw_startup(cb_A_shared, cb_B_shared, cb_C_local);
    const int32_t end_block = first_block + block_count;
    add_init(cb_A_shared, cb_B_shared);
    for (int32_t block = first_block; block < end_block; ++block) {
        // C_local[i, j] = A_shared[i, j] + B_shared[i, j]
        cb_wait_front(cb_A_shared, 4);
        cb_wait_front(cb_B_shared, 4);
        cb_reserve_back(cb_C_local, 4);
        tile_regs_acquire();
        for (int32_t i = 0; i < 4; ++i) {
            add_tiles(cb_A_shared, cb_B_shared, i, i, i);
        }
        tile_regs_commit();
        tile_regs_wait();
        for (int32_t i = 0; i < 4; ++i) {
            pack_tile(i, cb_C_local);
        }
        tile_regs_release();
        cb_push_back(cb_C_local, 4);
        cb_pop_front(cb_A_shared, 4);
        cb_pop_front(cb_B_shared, 4);
    }
}

// add_writer: takes results from the core to DRAM.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_C_local = tt::CBIndex::c_2;

    constexpr auto C_args = TensorAccessorArgs<0>();
    const auto C = TensorAccessor(C_args, get_common_arg_val<uint32_t>(0));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t block = first_block; block < end_block; ++block) {
        const int32_t bx = block % 4;
        const int32_t by = block / 4;
        const int32_t first_row = by * 2;
        const int32_t first_col = bx * 2;

        // store C_local to C
        cb_wait_front(cb_C_local, 4);
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t col = 0; col < 2; ++col) {
                const int32_t page = (first_row + row) * 8 + first_col + col;
                const int32_t tile = row * 2 + col;
                noc_async_write_page(page, C, get_read_ptr(cb_C_local) + tile * get_tile_size(cb_C_local));
            }
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_C_local, 4);
    }
    noc_async_write_barrier();
}
