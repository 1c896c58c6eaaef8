// The first generation's path of api/compute/eltwise_unary/softcap.h.
#pragma once
#include "api/compute/eltwise_unary/softcap.h"
