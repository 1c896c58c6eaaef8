// The first generation's path of api/compute/eltwise_unary/tanh_derivative.h.
#pragma once
#include "api/compute/eltwise_unary/tanh_derivative.h"
