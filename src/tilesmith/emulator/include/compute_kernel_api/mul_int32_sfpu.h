// The first generation's path of api/compute/mul_int32_sfpu.h.
#pragma once
#include "api/compute/mul_int32_sfpu.h"
