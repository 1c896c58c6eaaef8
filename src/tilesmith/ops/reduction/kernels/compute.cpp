// Joins tiles element by element (JOIN on DST 0 and 1, to 1), then the elements of the tile that is left (WITHIN),
// then AFTER; the host defines these as statements.
// Per core: number of tiles of the output. Common: tiles that go into one, then the numbers AFTER takes.
#include <cstdint>

#include "api/compute/binary_max_min.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/tile_move_copy.h"
#include "../../elementwise/kernels/steps.hpp"
#include "../../kernels/pack_result.hpp"

constexpr uint32_t cb_in = 0, cb_out = 16;

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0), members = get_common_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in);
    for (uint32_t i = 0; i < count; ++i) {
        tile_regs_acquire();
        for (uint32_t member = 0; member < members; ++member) {
            cb_wait_front(cb_in, 1);
            copy_tile(cb_in, 0, member == 0 ? 1 : 0);
            cb_pop_front(cb_in, 1);
            if (member > 0) {
                JOIN
            }
        }
        WITHIN
        AFTER
        pack_result(1, cb_out);
    }
}
