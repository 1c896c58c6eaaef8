// gemm_reader: brings data from DRAM to the core.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

inline volatile tt_l1_ptr uint32_t* semaphore_word(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

// Tells the sender that this core has room for its block.
inline void tell_sender(uint32_t sender_x, uint32_t sender_y, uint32_t ready, uint32_t arrived) {
    noc_semaphore_set(semaphore_word(arrived), 0);
    noc_semaphore_inc(get_noc_addr(sender_x, sender_y, ready), 1);
}

// Zeros, copied from the core's own block of them: as with any read, a barrier must follow.
inline void zero_bytes(uint32_t target, uint32_t bytes) {
    while (bytes > 0) {
        const uint32_t piece = bytes < MEM_ZEROS_SIZE ? bytes : MEM_ZEROS_SIZE;
        noc_async_read(get_noc_addr(MEM_ZEROS_BASE), target, piece);
        target += piece;
        bytes -= piece;
    }
}

// In the order in which the NoC runs through it.
struct Rectangle {
    int32_t x_start, y_start, x_end, y_end;

    uint64_t at(uint32_t address) const {
        return get_noc_multicast_addr(x_start, y_start, x_end, y_end, address);
    }
};

// Sends what is staged to a block of other cores and of this one, once all have room.
inline void send_staged(
    uint32_t staged,
    uint32_t block,
    uint32_t bytes,
    const Rectangle& cores,
    uint32_t others,
    uint32_t ready,
    uint32_t arrived) {
    noc_semaphore_wait(semaphore_word(ready), others);
    noc_semaphore_set(semaphore_word(ready), 0);
    noc_async_write_multicast_loopback_src(staged, cores.at(block), bytes, others + 1, true);
#ifdef ARCH_BLACKHOLE
    noc_async_writes_flushed();  // data and signals leave from different command buffers
#endif
    noc_semaphore_set(semaphore_word(arrived), 1);
    noc_semaphore_set_multicast_loopback_src(arrived, cores.at(arrived), others + 1);
    noc_async_write_barrier();
}

// Waits for the block of a sender that was told to go ahead.
inline void receive_block(uint32_t arrived) {
    noc_semaphore_wait(semaphore_word(arrived), 1);
    noc_async_atomic_barrier();
}

void kernel_main() {
    constexpr uint32_t cb_B_shared = tt::CBIndex::c_1;
    constexpr uint32_t cb_B_shared_staged = tt::CBIndex::c_4;

    constexpr auto B_args = TensorAccessorArgs<0>();
    const auto B = TensorAccessor(B_args, get_common_arg_val<uint32_t>(0));
    const int32_t core_x = get_arg_val<int32_t>(0);
    const int32_t core_y = get_arg_val<int32_t>(1);
    const int32_t column_sender_x = get_arg_val<int32_t>(2);
    const int32_t column_sender_y = get_arg_val<int32_t>(3);
    const int32_t column_last_x = get_arg_val<int32_t>(4);
    const int32_t column_last_y = get_arg_val<int32_t>(5);

    for (int32_t ko = 0; ko < 2; ++ko) {
        // load B_shared from B, in turn for the column of cores
        cb_reserve_back(cb_B_shared, 4);
        if (ko != core_y) {
            tell_sender(column_sender_x, column_sender_y + ko, get_semaphore(0), get_semaphore(1));
        }
        const int32_t position = ko + 1;
        const bool holds = ko == 0;
        const int32_t next_turn = holds ? core_y : position;
        const int32_t first_row = next_turn * 4;
        if (((holds && core_y <= 1) || position % 8 == core_y) && next_turn < 2) {
            for (int32_t row = 0; row < 4; ++row) {
                const int32_t tile_row = first_row + row;
                const int32_t page = tile_row * 8 + core_x;
                if (tile_row < 8) {
                    noc_async_read_page(
                        page, B, get_write_ptr(cb_B_shared_staged) + row * get_tile_size(cb_B_shared_staged));
                } else {
                    zero_bytes(
                        get_write_ptr(cb_B_shared_staged) + row * get_tile_size(cb_B_shared_staged),
                        get_tile_size(cb_B_shared_staged));
                }
            }
        }
        if (ko == core_y) {
            noc_async_read_barrier();
            send_staged(
                get_write_ptr(cb_B_shared_staged),
                get_write_ptr(cb_B_shared),
                4 * get_tile_size(cb_B_shared),
                {column_sender_x, column_sender_y, column_last_x, column_last_y},
                7,
                get_semaphore(0),
                get_semaphore(1));
        } else {
            receive_block(get_semaphore(1));
        }
        cb_push_back(cb_B_shared, 4);
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
    cb_reserve_back(cb_C_local, 1);
    matmul_block_init(cb_A_shared, cb_B_shared, 0, 1, 1, 4);
    for (int32_t ko = 0; ko < 2; ++ko) {
        // C_local += A_shared @ B_shared
        cb_wait_front(cb_A_shared, 4);
        cb_wait_front(cb_B_shared, 4);
        pack_reconfig_l1_acc(ko != 0);
        tile_regs_acquire();
        for (int32_t k = 0; k < 4; ++k) {
            matmul_block(cb_A_shared, cb_B_shared, k, k, 0, 0, 1, 1, 4);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, cb_C_local, 0);
        tile_regs_release();
        pack_reconfig_l1_acc(false);
        cb_pop_front(cb_A_shared, 4);
        cb_pop_front(cb_B_shared, 4);
    }
    cb_push_back(cb_C_local, 1);

    // C_local_out = C_local
    cb_wait_front(cb_C_local, 1);
    cb_reserve_back(cb_C_local_out, 1);
    tile_regs_acquire();
    reconfig_data_format_srca(cb_C_local);
    copy_init(cb_C_local);
    copy_tile(cb_C_local, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_reconfig_data_format(cb_C_local_out);
    pack_tile(0, cb_C_local_out);
    tile_regs_release();
    cb_push_back(cb_C_local_out, 1);
    cb_pop_front(cb_C_local, 1);
}

// gemm_writer: takes results from the core to DRAM.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

inline volatile tt_l1_ptr uint32_t* semaphore_word(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

// Tells the sender that this core has room for its block.
inline void tell_sender(uint32_t sender_x, uint32_t sender_y, uint32_t ready, uint32_t arrived) {
    noc_semaphore_set(semaphore_word(arrived), 0);
    noc_semaphore_inc(get_noc_addr(sender_x, sender_y, ready), 1);
}

// Zeros, copied from the core's own block of them: as with any read, a barrier must follow.
inline void zero_bytes(uint32_t target, uint32_t bytes) {
    while (bytes > 0) {
        const uint32_t piece = bytes < MEM_ZEROS_SIZE ? bytes : MEM_ZEROS_SIZE;
        noc_async_read(get_noc_addr(MEM_ZEROS_BASE), target, piece);
        target += piece;
        bytes -= piece;
    }
}

// In the order in which the NoC runs through it.
struct Rectangle {
    int32_t x_start, y_start, x_end, y_end;

    uint64_t at(uint32_t address) const {
        return get_noc_multicast_addr(x_start, y_start, x_end, y_end, address);
    }
};

// Sends what is staged to a block of other cores and of this one, once all have room.
inline void send_staged(
    uint32_t staged,
    uint32_t block,
    uint32_t bytes,
    const Rectangle& cores,
    uint32_t others,
    uint32_t ready,
    uint32_t arrived) {
    noc_semaphore_wait(semaphore_word(ready), others);
    noc_semaphore_set(semaphore_word(ready), 0);
    noc_async_write_multicast_loopback_src(staged, cores.at(block), bytes, others + 1, true);
#ifdef ARCH_BLACKHOLE
    noc_async_writes_flushed();  // data and signals leave from different command buffers
#endif
    noc_semaphore_set(semaphore_word(arrived), 1);
    noc_semaphore_set_multicast_loopback_src(arrived, cores.at(arrived), others + 1);
    noc_async_write_barrier();
}

// Waits for the block of a sender that was told to go ahead.
inline void receive_block(uint32_t arrived) {
    noc_semaphore_wait(semaphore_word(arrived), 1);
    noc_async_atomic_barrier();
}

void kernel_main() {
    constexpr uint32_t cb_A_shared = tt::CBIndex::c_0;
    constexpr uint32_t cb_C_local_out = tt::CBIndex::c_3;
    constexpr uint32_t cb_A_shared_staged = tt::CBIndex::c_5;

    constexpr auto A_args = TensorAccessorArgs<0>();
    const auto A = TensorAccessor(A_args, get_common_arg_val<uint32_t>(0));
    constexpr auto C_args = TensorAccessorArgs<A_args.next_compile_time_args_offset()>();
    const auto C = TensorAccessor(C_args, get_common_arg_val<uint32_t>(1));
    const int32_t core_y = get_arg_val<int32_t>(0);
    const int32_t core_x = get_arg_val<int32_t>(1);
    const int32_t row_sender_x = get_arg_val<int32_t>(2);
    const int32_t row_sender_y = get_arg_val<int32_t>(3);
    const int32_t row_last_x = get_arg_val<int32_t>(4);
    const int32_t row_last_y = get_arg_val<int32_t>(5);

    for (int32_t ko = 0; ko < 2; ++ko) {
        // load A_shared from A, in turn for the row of cores
        cb_reserve_back(cb_A_shared, 4);
        if (ko != core_x) {
            tell_sender(row_sender_x + ko, row_sender_y, get_semaphore(2), get_semaphore(3));
        }
        const int32_t position = ko + 1;
        const bool holds = ko == 0;
        const int32_t next_turn = holds ? core_x : position;
        const int32_t first_col = next_turn * 4;
        if (((holds && core_x <= 1) || position % 8 == core_x) && next_turn < 2) {
            for (int32_t col = 0; col < 4; ++col) {
                const int32_t tile_col = first_col + col;
                const int32_t page = core_y * 8 + tile_col;
                if (tile_col < 8) {
                    noc_async_read_page(
                        page, A, get_write_ptr(cb_A_shared_staged) + col * get_tile_size(cb_A_shared_staged));
                } else {
                    zero_bytes(
                        get_write_ptr(cb_A_shared_staged) + col * get_tile_size(cb_A_shared_staged),
                        get_tile_size(cb_A_shared_staged));
                }
            }
        }
        if (ko == core_x) {
            noc_async_read_barrier();
            send_staged(
                get_write_ptr(cb_A_shared_staged),
                get_write_ptr(cb_A_shared),
                4 * get_tile_size(cb_A_shared),
                {row_last_x, row_last_y, row_sender_x, row_sender_y},
                7,
                get_semaphore(2),
                get_semaphore(3));
        } else {
            receive_block(get_semaphore(3));
        }
        cb_push_back(cb_A_shared, 4);
    }
    const int32_t page = core_y * 8 + core_x;

    // store C_local_out to C
    cb_wait_front(cb_C_local_out, 1);
    noc_async_write_page(page, C, get_read_ptr(cb_C_local_out));
    noc_async_writes_flushed();
    cb_pop_front(cb_C_local_out, 1);
    noc_async_write_barrier();
}
