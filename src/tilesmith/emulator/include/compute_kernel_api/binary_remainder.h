// The first generation's path of api/compute/binary_remainder.h.
#pragma once
#include "api/compute/binary_remainder.h"
