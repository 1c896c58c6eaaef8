// A row of tiles less one tile's first column, which is unpacked once for all of them.
#pragma once
#include "api/compute/bcast.h"

namespace ckernel {
ALWI void sub_bcast_cols_init_short_custom(uint32_t icb0, uint32_t icb1, uint32_t ct_dim, TS_AT) {
    sub_bcast_cols_init(icb0, icb1, at);
}
ALWI void sub_bcast_cols_init_short_custom(uint32_t icb0, uint32_t icb1, uint32_t ct_dim,
                                           [[maybe_unused]] uint32_t call_line, TS_AT) {
    sub_bcast_cols_init(icb0, icb1, at);
}

ALWI void sub_tiles_bcast_cols_custom(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst,
                                      uint32_t ct_dim, TS_AT) {
    for (uint32_t i = 0; i < ct_dim; ++i) sub_tiles_bcast_cols(icb0, icb1, itile0 + i, itile1, idst + i, 0, at);
}
}  // namespace ckernel
