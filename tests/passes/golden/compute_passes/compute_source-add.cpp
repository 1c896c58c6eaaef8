// add_compute: works on tiles.
#include <cstdint>

#include "api/compute/cb_api.h"
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
