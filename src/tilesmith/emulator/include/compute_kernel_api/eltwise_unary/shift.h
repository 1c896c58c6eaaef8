// The first generation's path of api/compute/eltwise_unary/shift.h.
#pragma once
#include "api/compute/eltwise_unary/shift.h"
