// The first generation's path of api/compute/eltwise_unary/i0.h.
#pragma once
#include "api/compute/eltwise_unary/i0.h"
