// Sums of integer tiles along columns and rows, and of two tiles.
#pragma once
#include "ts/sfpu/whole_tile.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void sfpu_sum_int_init(TS_AT) { ts::sfpu::initialise("sum_int", at); }
ALWI void sfpu_sum_int_col(uint32_t idst, TS_AT) { ts::sfpu::sum_of_columns({"sum_int", at}, idst); }
ALWI void sfpu_sum_int_row(uint32_t idst, TS_AT) { ts::sfpu::sum_of_rows({"sum_int", at}, idst); }

ALWI void sfpu_add_int(uint32_t idst, uint32_t dst_offset = 2, int32_t iterations = 8, TS_AT) {
    ts::sfpu::map_words({"sum_int", at}, idst, idst + 1, idst,
                        [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return x + y; });
}
}  // namespace ckernel
