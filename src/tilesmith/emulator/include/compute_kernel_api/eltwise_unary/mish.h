// The first generation's path of api/compute/eltwise_unary/mish.h.
#pragma once
#include "api/compute/eltwise_unary/mish.h"
