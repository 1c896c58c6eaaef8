// The sum of one tile from every chip, in the order of the chips: float32 in DST, or int32, rounded once at
// the end.
#include "api/compute/add_int_sfpu.h"
#include "api/compute/common.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/typecast.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t summed_cb = 1, result_cb = 2;
    constexpr bool whole_numbers = get_compile_time_arg_val(0), rounds = get_compile_time_arg_val(1);
    constexpr auto wide = static_cast<uint32_t>(DataFormat::Float32),
                   narrow = static_cast<uint32_t>(DataFormat::Float16_b);
    const uint32_t count = get_arg_val<uint32_t>(0), summands = get_arg_val<uint32_t>(1);
    init_sfpu(summed_cb, result_cb);
    for (uint32_t i = 0; i < count; ++i) {
        tile_regs_acquire();
        for (uint32_t chip = 0; chip < summands; ++chip) {
            cb_wait_front(summed_cb, 1);
            copy_tile_to_dst_init_short(summed_cb);
            copy_tile(summed_cb, 0, chip ? 1 : 0);
            cb_pop_front(summed_cb, 1);
            if (chip == 0) continue;
            if constexpr (whole_numbers) {
                add_int_tile_init();
                add_int_tile<DataFormat::Int32>(0, 1, 0);
            } else {
                add_binary_tile_init();
                add_binary_tile(0, 1, 0);
            }
        }
        if constexpr (rounds) {  // to nearest, ties to even: the packer rounds ties away from zero
            typecast_tile_init<wide, narrow>();
            typecast_tile<wide, narrow>(0);
        }
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(result_cb, 1);
        pack_tile(0, result_cb);
        cb_push_back(result_cb, 1);
        tile_regs_release();
    }
}
