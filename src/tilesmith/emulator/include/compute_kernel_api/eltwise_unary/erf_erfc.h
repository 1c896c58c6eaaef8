// The first generation's path of api/compute/eltwise_unary/erf_erfc.h.
#pragma once
#include "api/compute/eltwise_unary/erf_erfc.h"
