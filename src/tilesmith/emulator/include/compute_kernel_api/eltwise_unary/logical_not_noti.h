// The first generation's path of api/compute/eltwise_unary/logical_not_noti.h.
#pragma once
#include "api/compute/eltwise_unary/logical_not_noti.h"
