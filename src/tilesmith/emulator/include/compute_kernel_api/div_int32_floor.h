// The first generation's path of api/compute/div_int32_floor.h.
#pragma once
#include "api/compute/div_int32_floor.h"
