// What kernels of the vendor's fabric tests report.
#pragma once
#include <cstdint>

inline constexpr uint32_t TT_FABRIC_STATUS_MASK = 0xabc00000;
inline constexpr uint32_t TT_FABRIC_STATUS_STARTED = TT_FABRIC_STATUS_MASK | 0x0;
inline constexpr uint32_t TT_FABRIC_STATUS_PASS = TT_FABRIC_STATUS_MASK | 0x1;
inline constexpr uint32_t TT_FABRIC_STATUS_TIMEOUT = TT_FABRIC_STATUS_MASK | 0xdead0;
inline constexpr uint32_t TT_FABRIC_STATUS_BAD_HEADER = TT_FABRIC_STATUS_MASK | 0xdead1;
inline constexpr uint32_t TT_FABRIC_STATUS_DATA_MISMATCH = TT_FABRIC_STATUS_MASK | 0x3;
inline constexpr uint32_t TT_FABRIC_STATUS_INDEX = 0, TT_FABRIC_WORD_CNT_INDEX = 2, TT_FABRIC_CYCLES_INDEX = 4;
inline constexpr uint32_t TT_FABRIC_ITER_INDEX = 6, TT_FABRIC_MISC_INDEX = 16;
