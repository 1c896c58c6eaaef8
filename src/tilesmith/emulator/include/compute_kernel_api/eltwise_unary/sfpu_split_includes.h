// The first generation's path of api/compute/eltwise_unary/sfpu_split_includes.h.
#pragma once
#include "api/compute/eltwise_unary/sfpu_split_includes.h"
