// The first generation's path of api/compute/binary_comp.h.
#pragma once
#include "api/compute/binary_comp.h"
