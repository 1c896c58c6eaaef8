// Bilinear sampling, the arithmetic: four rows of channels times their four shares, added up, for each point.
// The unpacker turns the row-major sticks into tiles of four rows; the packer writes the one row that is left.
#include <cstdint>

#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"
#include "api/compute/tilize.h"
#include "api/dataflow/circular_buffer.h"

void kernel_main() {
    constexpr uint32_t readers = get_compile_time_arg_val(0);
    constexpr uint32_t corners_of_reader[] = {get_compile_time_arg_val(1), get_compile_time_arg_val(3)};
    constexpr uint32_t shares_of_reader[] = {get_compile_time_arg_val(2), get_compile_time_arg_val(4)};
    constexpr uint32_t cb_out = get_compile_time_arg_val(5);
    constexpr uint32_t tiles = get_compile_time_arg_val(6);
    constexpr uint32_t tiles_in_dst = get_compile_time_arg_val(7);
    constexpr uint32_t faces = 2;
    const uint32_t points = get_arg_val<uint32_t>(0);
    const uint32_t batch = get_arg_val<uint32_t>(1);

    compute_kernel_hw_startup(corners_of_reader[0], shares_of_reader[0], cb_out);
    tilizeA_B_reduce_init<false, true>(corners_of_reader[0], shares_of_reader[0], tiles);
    pack_untilize_dest_init<tiles_in_dst, tiles>(cb_out);
    CircularBuffer out(cb_out);
    uint32_t turn = 0, left = batch;
    for (uint32_t point = 0; point < points; ++point) {
        CircularBuffer corners(corners_of_reader[turn]), shares(shares_of_reader[turn]);
        corners.wait_front(1);
        shares.wait_front(1);
        out.reserve_back(1);
        unpack_tilizeA_B_block<false, true, false, true>(corners_of_reader[turn], shares_of_reader[turn], tiles, 0);
        for (uint32_t part = 0; part < tiles / tiles_in_dst; ++part) {
            tile_regs_acquire();
            for (uint32_t tile = 0; tile < tiles_in_dst; ++tile) reduce_tile_math<REDUCE_OP, REDUCE_DIM>(tile, faces);
            tile_regs_commit();
            tile_regs_wait();
            pack_untilize_dest<tiles_in_dst, tiles>(cb_out, 1, part);
            tile_regs_release();
        }
        out.push_back(1);
        corners.pop_front(1);
        shares.pop_front(1);
        if (--left == 0) {
            left = batch;
            turn = (turn + 1) % readers;
        }
    }
    pack_untilize_uninit(cb_out);
}
