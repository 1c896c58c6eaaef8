// int32 limits and order.
#pragma once
#include "ts/prologue.h"

inline constexpr int32_t NEG_INF_INT32 = std::numeric_limits<int32_t>::min();
inline constexpr int32_t POS_INF_INT32 = std::numeric_limits<int32_t>::max();
inline constexpr uint32_t INT32_SIGN_MASK = 0x80000000;

inline bool int32_greater(int32_t a, int32_t b) { return a > b; }
