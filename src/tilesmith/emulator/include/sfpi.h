// SFPI: the vector unit as C++, for kernels that bring functions of their own. The names and meanings are the vendor's;
// what is here is written for the emulator. Missing: lut and lut2, l_reg, subvec_*, half precision (fp16a), random numbers.
#pragma once
#define sfpi_inline inline __attribute__((always_inline))

#include "ts/sfpi/convert.h"
#include "ts/sfpi/functions.h"
#include "ts/sfpi/registers.h"
#include "ts/sfpi/run.h"
