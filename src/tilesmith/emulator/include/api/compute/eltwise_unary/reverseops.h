// rsub_tile, at its older path.
#pragma once
#include "api/compute/eltwise_unary/rsub.h"

namespace ckernel {}  // namespace ckernel
