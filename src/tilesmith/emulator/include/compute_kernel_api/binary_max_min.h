// The first generation's path of api/compute/binary_max_min.h.
#pragma once
#include "api/compute/binary_max_min.h"
