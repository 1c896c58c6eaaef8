// The first generation's path of api/compute/sfpu_binary_bcast.h.
#pragma once
#include "api/compute/sfpu_binary_bcast.h"
