// The first generation's path of api/compute/eltwise_unary/activations.h.
#pragma once
#include "api/compute/eltwise_unary/activations.h"
