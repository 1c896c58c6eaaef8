// The end of a section of a compute kernel: one DST tile goes to a circular buffer.
#pragma once
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"

inline void pack_result(uint32_t tile, uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(tile, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}
