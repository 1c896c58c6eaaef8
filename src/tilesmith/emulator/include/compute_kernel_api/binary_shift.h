// The first generation's path of api/compute/binary_shift.h.
#pragma once
#include "api/compute/binary_shift.h"
