// The first generation's path of api/compute/eltwise_unary/trigonometry.h.
#pragma once
#include "api/compute/eltwise_unary/trigonometry.h"
