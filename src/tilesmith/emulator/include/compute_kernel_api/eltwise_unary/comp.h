// The first generation's path of api/compute/eltwise_unary/comp.h.
#pragma once
#include "api/compute/eltwise_unary/comp.h"
