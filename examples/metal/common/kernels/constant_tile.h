// Fills one page of a circular buffer with a constant: the scaler operand of reduce, an epsilon, a divisor.
#pragma once
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

// `word` is the constant as it lies in L1: a float32, or one bfloat16 twice.
inline void push_constant_tile(uint32_t cb_id, uint32_t word) {
    cb_reserve_back(cb_id, 1);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_id));
    const uint32_t count = get_tile_size(cb_id) / sizeof(uint32_t);
    for (uint32_t i = 0; i < count; ++i) {
        words[i] = word;
    }
    cb_push_back(cb_id, 1);
}
