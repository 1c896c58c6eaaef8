// Who holds the DST registers: math from acquire to commit, pack from wait to release.
#pragma once
#include "api/compute/common_globals.h"

namespace ckernel {
ALWI void tile_regs_acquire(TS_AT) { ts_dst_acquire(at); }
ALWI void tile_regs_wait(TS_AT) { ts_dst_wait(at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tile_regs_commit(TS_AT) {
    ts_dst_commit(at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tile_regs_release(TS_AT) {
    ts_dst_release(at);
}

ALWI void acquire_dst(TS_AT) {
    ts_dst_acquire(at);
    ts_dst_wait(at);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void release_dst(TS_AT) {
    ts_dst_commit(at);
    ts_dst_release(at);
}
}  // namespace ckernel
