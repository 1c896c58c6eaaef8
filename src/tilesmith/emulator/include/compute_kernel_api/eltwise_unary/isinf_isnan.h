// The first generation's path of api/compute/eltwise_unary/isinf_isnan.h.
#pragma once
#include "api/compute/eltwise_unary/isinf_isnan.h"
