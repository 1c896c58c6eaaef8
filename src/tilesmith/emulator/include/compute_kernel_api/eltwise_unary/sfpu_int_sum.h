// The first generation's path of api/compute/eltwise_unary/sfpu_int_sum.h.
#pragma once
#include "api/compute/eltwise_unary/sfpu_int_sum.h"
