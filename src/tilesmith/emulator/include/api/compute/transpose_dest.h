// Transposing a tile that is already in DST.
#pragma once
#include "api/compute/common.h"

namespace ckernel {
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest_init(uint32_t operand = 0, TS_AT) {
    ts_fpu_init(ts::FpuOp::transpose_dest, {.leaves_unpack = true}, at);
}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest(uint32_t idst, TS_AT) {
    ts_fpu_transpose_dest(idst, transpose_of_faces, at);
}

// ---- first generation ----
template <bool is_32bit = false>
ALWI void transpose_wh_dest_init_short(TS_AT) {
    transpose_dest_init(0, at);
}
template <bool is_32bit = false>
ALWI void transpose_wh_dest(uint32_t idst, TS_AT) {
    transpose_dest(idst, at);
}
}  // namespace ckernel
