// The first generation's path of api/compute/eltwise_unary/prelu.h.
#pragma once
#include "api/compute/eltwise_unary/prelu.h"
