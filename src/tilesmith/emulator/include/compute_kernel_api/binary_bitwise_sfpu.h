// The first generation's path of api/compute/binary_bitwise_sfpu.h.
#pragma once
#include "api/compute/binary_bitwise_sfpu.h"
