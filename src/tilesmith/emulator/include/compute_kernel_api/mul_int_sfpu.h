// The first generation's path of api/compute/mul_int_sfpu.h.
#pragma once
#include "api/compute/mul_int_sfpu.h"
