// The first generation's path of api/compute/div_int32_sfpu.h.
#pragma once
#include "api/compute/div_int32_sfpu.h"
