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
