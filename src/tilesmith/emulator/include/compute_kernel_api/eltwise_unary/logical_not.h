// The first generation's path of api/compute/eltwise_unary/logical_not.h.
#pragma once
#include "api/compute/eltwise_unary/logical_not.h"
