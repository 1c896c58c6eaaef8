// Exponential moving averages down the columns, from tile to tile.
#pragma once
#include "ts/sfpu/whole_tile.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void ema_init(uint32_t alpha, uint32_t beta, TS_AT) {
    ts::sfpu::initialise("ema", at);
    if (ts_role() != ts::Role::math) return;
    ts::sfpu::set_constant(0, alpha);
    ts::sfpu::set_constant(1, beta);
}

ALWI void ema_clear_previous_output() {
    if (ts_role() == ts::Role::math) ts::sfpu::registers().mean = ts::sfpu::Columns{};
}

ALWI void ema_tile(uint32_t input_dst_index, TS_AT) { ts::sfpu::moving_average({"ema", at}, input_dst_index); }
}  // namespace ckernel
