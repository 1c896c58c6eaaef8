// softmax_reader: brings data from DRAM to the core.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_X_shared = tt::CBIndex::c_0;

    constexpr auto X_args = TensorAccessorArgs<0>();
    const auto X = TensorAccessor(X_args, get_common_arg_val<uint32_t>(0));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t bx = first_block; bx < end_block; ++bx) {
        // load X_shared from X
        cb_reserve_back(cb_X_shared, 8);
        for (int32_t col = 0; col < 8; ++col) {
            const int32_t page = bx * 8 + col;
            noc_async_read_page(page, X, get_write_ptr(cb_X_shared) + col * get_tile_size(cb_X_shared));
        }
        noc_async_read_barrier();
        cb_push_back(cb_X_shared, 8);
    }
}

// softmax_compute: works on tiles.
#include <cstdint>

#include "api/compute/binary_max_min.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/sfpu_binary_bcast.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose_dest.h"

// The exact reciprocal: up to release 0.77 it is asked for by a flag, later there is no other.
template <bool legacy>
ALWI auto exact_recip_tile_init(int) -> decltype(recip_tile_init<legacy>()) {
    recip_tile_init<legacy>();
}
template <bool legacy>
ALWI void exact_recip_tile_init(long) {
    recip_tile_init();
}
template <bool legacy>
ALWI auto exact_recip_tile(uint32_t dst, int) -> decltype(recip_tile<legacy>(dst)) {
    recip_tile<legacy>(dst);
}
template <bool legacy>
ALWI void exact_recip_tile(uint32_t dst, long) {
    recip_tile(dst);
}

void kernel_main() {
    constexpr uint32_t cb_X_shared = tt::CBIndex::c_0;
    constexpr uint32_t cb_E_local = tt::CBIndex::c_1;
    constexpr uint32_t cb_E_local_2_out = tt::CBIndex::c_2;
    constexpr uint32_t cb_row_max = tt::CBIndex::c_3;
    constexpr uint32_t cb_row_sum = tt::CBIndex::c_4;

    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    compute_kernel_hw_startup(cb_X_shared, cb_X_shared, cb_row_max);
    const int32_t end_block = first_block + block_count;
    for (int32_t bx = first_block; bx < end_block; ++bx) {
        // row_max = max of X_shared along dimension 1
        cb_wait_front(cb_X_shared, 8);
        cb_reserve_back(cb_row_max, 1);
        tile_regs_acquire();
        reconfig_data_format_srca(cb_X_shared);
        copy_init(cb_X_shared);
        copy_tile(cb_X_shared, 0, 0);
        binary_max_tile_init();
        for (int32_t k = 1; k < 8; ++k) {
            copy_tile(cb_X_shared, k, 1);
            binary_max_tile(0, 1, 0);
        }
        transpose_dest_init<DST_ACCUM_MODE>();
        transpose_dest<DST_ACCUM_MODE>(0);
        sfpu_reduce_init<PoolType::MAX, DataFormat::Float32>();
        sfpu_reduce<PoolType::MAX, DataFormat::Float32, ReduceDim::REDUCE_COL>(0);
        fill_tile_init();
        fill_tile_bitcast(1, 0x3f800000u /* 1 */);
        sfpu_mul_bcast_row_init();
        sfpu_mul_bcast_row(1, 0);
        transpose_dest<DST_ACCUM_MODE>(1);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_row_max);
        pack_tile(1, cb_row_max);
        tile_regs_release();
        cb_push_back(cb_row_max, 1);

        // E_local[i, j] = exp(X_shared[i, j] - row_max[i])
        cb_wait_front(cb_row_max, 1);
        cb_reserve_back(cb_E_local, 8);
        for (int32_t tile = 0; tile < 8; tile += 2) {
            tile_regs_acquire();
            reconfig_data_format_srca(cb_X_shared);
            copy_init(cb_X_shared);
            for (int32_t i = 0; i < 2; ++i) {
                copy_tile(cb_X_shared, tile + i, i);
            }
            reconfig_data_format_srca(cb_row_max);
            copy_init(cb_row_max);
            for (int32_t i = 0; i < 2; ++i) {
                copy_tile(cb_row_max, 0, 2 + i);
            }
            sub_binary_tile_init();
            for (int32_t i = 0; i < 2; ++i) {
                sub_binary_tile(i, 2 + i, i);
            }
            exp_tile_init();
            for (int32_t i = 0; i < 2; ++i) {
                exp_tile(i);
            }
            tile_regs_commit();
            tile_regs_wait();
            for (int32_t i = 0; i < 2; ++i) {
                pack_tile(i, cb_E_local);
            }
            tile_regs_release();
        }
        cb_push_back(cb_E_local, 8);
        cb_pop_front(cb_X_shared, 8);
        cb_pop_front(cb_row_max, 1);

        // row_sum = sum of E_local along dimension 1
        cb_wait_front(cb_E_local, 8);
        cb_reserve_back(cb_row_sum, 1);
        tile_regs_acquire();
        copy_tile(cb_E_local, 0, 0);
        add_binary_tile_init();
        for (int32_t k = 1; k < 8; ++k) {
            copy_tile(cb_E_local, k, 1);
            add_binary_tile(0, 1, 0);
        }
        transpose_dest_init<DST_ACCUM_MODE>();
        transpose_dest<DST_ACCUM_MODE>(0);
        sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
        sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_COL>(0);
        fill_tile_init();
        fill_tile_bitcast(1, 0x3f800000u /* 1 */);
        sfpu_mul_bcast_row_init();
        sfpu_mul_bcast_row(1, 0);
        transpose_dest<DST_ACCUM_MODE>(1);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(1, cb_row_sum);
        tile_regs_release();
        cb_push_back(cb_row_sum, 1);

        // E_local_2_out[i, j] = E_local[i, j] / row_sum[i]
        cb_wait_front(cb_row_sum, 1);
        cb_reserve_back(cb_E_local_2_out, 8);
        copy_init(cb_E_local);
        pack_reconfig_data_format(cb_E_local_2_out);
        for (int32_t tile = 0; tile < 8; tile += 2) {
            tile_regs_acquire();
            for (int32_t i = 0; i < 2; ++i) {
                copy_tile(cb_E_local, tile + i, i);
            }
            for (int32_t i = 0; i < 2; ++i) {
                copy_tile(cb_row_sum, 0, 2 + i);
            }
            exact_recip_tile_init<false>(0);
            for (int32_t i = 0; i < 2; ++i) {
                exact_recip_tile<false>(2 + i, 0);
            }
            mul_binary_tile_init();
            for (int32_t i = 0; i < 2; ++i) {
                mul_binary_tile(i, 2 + i, i);
            }
            tile_regs_commit();
            tile_regs_wait();
            for (int32_t i = 0; i < 2; ++i) {
                pack_tile(i, cb_E_local_2_out);
            }
            tile_regs_release();
        }
        cb_push_back(cb_E_local_2_out, 8);
        cb_pop_front(cb_E_local, 8);
        cb_pop_front(cb_row_sum, 1);
    }
}

// softmax_writer: takes results from the core to DRAM.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_E_local_2_out = tt::CBIndex::c_2;

    constexpr auto Y_args = TensorAccessorArgs<0>();
    const auto Y = TensorAccessor(Y_args, get_common_arg_val<uint32_t>(0));
    const int32_t first_block = get_arg_val<int32_t>(0);
    const int32_t block_count = get_arg_val<int32_t>(1);

    const int32_t end_block = first_block + block_count;
    for (int32_t bx = first_block; bx < end_block; ++bx) {
        // store E_local_2_out to Y
        cb_wait_front(cb_E_local_2_out, 8);
        for (int32_t col = 0; col < 8; ++col) {
            const int32_t page = bx * 8 + col;
            noc_async_write_page(
                page, Y, get_read_ptr(cb_E_local_2_out) + col * get_tile_size(cb_E_local_2_out));
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_E_local_2_out, 8);
    }
    noc_async_write_barrier();
}
