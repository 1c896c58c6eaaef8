// Tile by tile from one circular buffer to another: a typecast whose formats the unpacker and the packer convert.
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t in = 0, out = 2;
    compute_kernel_hw_startup(in, out);
    copy_init(in);
    for (uint32_t i = 0; i < tiles; ++i) {
        cb_reserve_back(out, 1);
        tile_regs_acquire();
        cb_wait_front(in, 1);
        copy_tile(in, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        cb_pop_front(in, 1);
        tile_regs_release();
        cb_push_back(out, 1);
    }
}
