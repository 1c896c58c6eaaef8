// The product of two integer tiles, at its older path.
#pragma once
#include "api/compute/mul_int_sfpu.h"

namespace ckernel {}  // namespace ckernel
