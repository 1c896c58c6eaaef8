// The first generation's path of api/compute/add_int_sfpu.h.
#pragma once
#include "api/compute/add_int_sfpu.h"
