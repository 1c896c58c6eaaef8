// The first generation's path of api/compute/eltwise_unary/addcmul.h.
#pragma once
#include "api/compute/eltwise_unary/addcmul.h"
