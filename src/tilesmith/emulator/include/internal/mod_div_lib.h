// Divisions the small RISC has no instruction for; here they are plain divisions.
#pragma once
#include "ts/prologue.h"

FORCE_INLINE unsigned int mulsi3(unsigned int a, unsigned int b) { return a * b; }
FORCE_INLINE uint32_t udivsi3(uint32_t n, uint32_t d) { return n / d; }
FORCE_INLINE uint32_t umodsi3(uint32_t n, uint32_t d) { return n % d; }
template <uint32_t d>
FORCE_INLINE uint32_t udivsi3_const_divisor(uint32_t n) {
    return n / d;
}
template <uint32_t d>
FORCE_INLINE uint32_t umodsi3_const_divisor(uint32_t n) {
    return n % d;
}
