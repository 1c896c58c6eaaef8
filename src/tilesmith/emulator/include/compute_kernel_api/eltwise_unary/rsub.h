// The first generation's path of api/compute/eltwise_unary/rsub.h.
#pragma once
#include "api/compute/eltwise_unary/rsub.h"
