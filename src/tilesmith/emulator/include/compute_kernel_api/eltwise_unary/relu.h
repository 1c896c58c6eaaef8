// The first generation's path of api/compute/eltwise_unary/relu.h.
#pragma once
#include "api/compute/eltwise_unary/relu.h"
