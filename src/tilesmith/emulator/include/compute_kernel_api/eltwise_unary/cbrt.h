// The first generation's path of api/compute/eltwise_unary/cbrt.h.
#pragma once
#include "api/compute/eltwise_unary/cbrt.h"
