// What the compute kernels of rows share: loading tiles to DST and packing them.
#pragma once
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/sfpu_binary_bcast.h"
#include "api/compute/tile_move_copy.h"
#include "../../kernels/pack_result.hpp"

constexpr uint32_t cb_x = 0, cb_weight = 1, cb_bias = 2, cb_mask = 3, cb_out = 16;

// The front of a circular buffer to a DST tile; the page stays.
inline void look(uint32_t cb, uint32_t tile) {
    cb_wait_front(cb, 1);
    reconfig_data_format_srca(cb);
    copy_init(cb);
    copy_tile(cb, 0, tile);
}

inline void take(uint32_t cb, uint32_t tile) {
    look(cb, tile);
    cb_pop_front(cb, 1);
}

// A DST tile to a circular buffer, whose format may not be that of the one before.
inline void give(uint32_t tile, uint32_t cb) {
    pack_reconfig_data_format(cb);
    pack_result(tile, cb);
}
