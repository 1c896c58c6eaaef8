// The first generation's path of api/compute/eltwise_unary/hardtanh.h.
#pragma once
#include "api/compute/eltwise_unary/hardtanh.h"
