// The first generation's path of api/compute/eltwise_unary/recip.h.
#pragma once
#include "api/compute/eltwise_unary/recip.h"
