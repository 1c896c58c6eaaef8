// gemm_reader: brings data from DRAM to the core.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

inline volatile tt_l1_ptr uint32_t* semaphore_word(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

// In the order in which the NoC runs through it.
struct Rectangle {
    int32_t x_start, y_start, x_end, y_end;
};

// Sends a block to the same address on other cores, once all have room. It may be reused here afterwards.
inline void send_block(
    uint32_t block,
    uint32_t bytes,
    const Rectangle& cores,
    uint32_t receivers,
    uint32_t ready,
    uint32_t arrived) {
    const auto on_cores = [&](uint32_t address) {
        return get_noc_multicast_addr(cores.x_start, cores.y_start, cores.x_end, cores.y_end, address);
    };
    noc_semaphore_wait(semaphore_word(ready), receivers);
    noc_semaphore_set(semaphore_word(ready), 0);
    noc_async_write_multicast(block, on_cores(block), bytes, receivers);
    noc_semaphore_set(semaphore_word(arrived), 1);
    noc_semaphore_set_multicast(arrived, on_cores(arrived), receivers);
    noc_async_writes_flushed();
}

// Tells the sender that this core has room, and waits for the block.
inline void receive_block(uint32_t sender_x, uint32_t sender_y, uint32_t ready, uint32_t arrived) {
    noc_semaphore_set(semaphore_word(arrived), 0);
    noc_semaphore_inc(get_noc_addr(sender_x, sender_y, ready), 1);
    noc_semaphore_wait(semaphore_word(arrived), 1);
    noc_async_atomic_barrier();
}

void kernel_main() {
    constexpr uint32_t cb_A_shared = tt::CBIndex::c_0;
    constexpr uint32_t cb_B_shared = tt::CBIndex::c_1;

    constexpr auto A_args = TensorAccessorArgs<0>();
    const auto A = TensorAccessor(A_args, get_common_arg_val<uint32_t>(0));
    constexpr auto B_args = TensorAccessorArgs<A_args.next_compile_time_args_offset()>();
    const auto B = TensorAccessor(B_args, get_common_arg_val<uint32_t>(1));
    const int32_t core_y = get_arg_val<int32_t>(0);
    const int32_t core_x = get_arg_val<int32_t>(1);
    const int32_t row_first_x = get_arg_val<int32_t>(2);
    const int32_t row_first_y = get_arg_val<int32_t>(3);
    const int32_t row_last_x = get_arg_val<int32_t>(4);
    const int32_t row_last_y = get_arg_val<int32_t>(5);
    const int32_t row_sender_x = get_arg_val<int32_t>(6);
    const int32_t row_sender_y = get_arg_val<int32_t>(7);
    const int32_t column_first_x = get_arg_val<int32_t>(8);
    const int32_t column_first_y = get_arg_val<int32_t>(9);
    const int32_t column_last_x = get_arg_val<int32_t>(10);
    const int32_t column_last_y = get_arg_val<int32_t>(11);
    const int32_t column_sender_x = get_arg_val<int32_t>(12);
    const int32_t column_sender_y = get_arg_val<int32_t>(13);

    const int32_t first_row = core_y * 2;
    const int32_t first_col = core_x * 2;
    for (int32_t ko = 0; ko < 8; ++ko) {
        // load A_shared from A, once for the row of cores
        cb_reserve_back(cb_A_shared, 2);
        if (core_x == 0) {
            for (int32_t row = 0; row < 2; ++row) {
                const int32_t page = (first_row + row) * 8 + ko;
                noc_async_read_page(page, A, get_write_ptr(cb_A_shared) + row * get_tile_size(cb_A_shared));
            }
            noc_async_read_barrier();
            send_block(
                get_write_ptr(cb_A_shared),
                2 * get_tile_size(cb_A_shared),
                {row_first_x, row_first_y, row_last_x, row_last_y},
                3,
                get_semaphore(0),
                get_semaphore(1));
        } else {
            receive_block(row_sender_x, row_sender_y, get_semaphore(0), get_semaphore(1));
        }
        cb_push_back(cb_A_shared, 2);

        // load B_shared from B, once for the column of cores
        cb_reserve_back(cb_B_shared, 2);
        if (core_y == 0) {
            for (int32_t col = 0; col < 2; ++col) {
                const int32_t page = ko * 8 + first_col + col;
                noc_async_read_page(page, B, get_write_ptr(cb_B_shared) + col * get_tile_size(cb_B_shared));
            }
            noc_async_read_barrier();
            send_block(
                get_write_ptr(cb_B_shared),
                2 * get_tile_size(cb_B_shared),
                {column_first_x, column_first_y, column_last_x, column_last_y},
                3,
                get_semaphore(2),
                get_semaphore(3));
        } else {
            receive_block(column_sender_x, column_sender_y, get_semaphore(2), get_semaphore(3));
        }
        cb_push_back(cb_B_shared, 2);
    }
    noc_async_write_barrier();
}

// gemm_compute: works on tiles.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_A_shared = tt::CBIndex::c_0;
    constexpr uint32_t cb_B_shared = tt::CBIndex::c_1;
    constexpr uint32_t cb_C_local = tt::CBIndex::c_2;
    constexpr uint32_t cb_C_local_out = tt::CBIndex::c_3;

    compute_kernel_hw_startup(cb_B_shared, cb_A_shared, cb_C_local);
    cb_reserve_back(cb_C_local, 4);
    cb_push_back(cb_C_local, 4);
    matmul_block_init(cb_A_shared, cb_B_shared, 0, 2, 2, 1);
    for (int32_t ko = 0; ko < 8; ++ko) {
        // C_local += A_shared @ B_shared
        cb_wait_front(cb_A_shared, 2);
        cb_wait_front(cb_B_shared, 2);
        cb_wait_front(cb_C_local, 4);
        cb_pop_front(cb_C_local, 4);
        cb_reserve_back(cb_C_local, 4);
        pack_reconfig_l1_acc(ko != 0);
        tile_regs_acquire();
        matmul_block(cb_A_shared, cb_B_shared, 0, 0, 0, 0, 2, 2, 1);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, cb_C_local, 0);
        pack_tile<true>(1, cb_C_local, 1);
        pack_tile<true>(2, cb_C_local, 2);
        pack_tile<true>(3, cb_C_local, 3);
        tile_regs_release();
        pack_reconfig_l1_acc(false);
        cb_push_back(cb_C_local, 4);
        cb_pop_front(cb_A_shared, 2);
        cb_pop_front(cb_B_shared, 2);
    }

    // C_local_out = C_local
    cb_wait_front(cb_C_local, 4);
    cb_reserve_back(cb_C_local_out, 4);
    tile_regs_acquire();
    reconfig_data_format_srca(cb_C_local);
    copy_init(cb_C_local);
    for (int32_t i = 0; i < 4; ++i) {
        copy_tile(cb_C_local, i, i);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_C_local_out);
    for (int32_t i = 0; i < 4; ++i) {
        pack_tile(i, cb_C_local_out);
    }
    tile_regs_release();
    cb_push_back(cb_C_local_out, 4);
    cb_pop_front(cb_C_local, 4);
}

// gemm_writer: takes results from the core to DRAM.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_C_local_out = tt::CBIndex::c_3;

    constexpr auto C_args = TensorAccessorArgs<0>();
    const auto C = TensorAccessor(C_args, get_common_arg_val<uint32_t>(0));
    const int32_t core_y = get_arg_val<int32_t>(0);
    const int32_t core_x = get_arg_val<int32_t>(1);

    const int32_t first_row = core_y * 2;
    const int32_t first_col = core_x * 2;

    // store C_local_out to C
    cb_wait_front(cb_C_local_out, 4);
    for (int32_t row = 0; row < 2; ++row) {
        for (int32_t col = 0; col < 2; ++col) {
            const int32_t page = (first_row + row) * 8 + first_col + col;
            const int32_t tile = row * 2 + col;
            noc_async_write_page(
                page, C, get_read_ptr(cb_C_local_out) + tile * get_tile_size(cb_C_local_out));
        }
    }
    noc_async_writes_flushed();
    cb_pop_front(cb_C_local_out, 4);
    noc_async_write_barrier();
}
