// The first generation's path of api/compute/eltwise_unary/log1p.h.
#pragma once
#include "api/compute/eltwise_unary/log1p.h"
