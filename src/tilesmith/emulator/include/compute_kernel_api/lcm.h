// The first generation's path of api/compute/lcm.h.
#pragma once
#include "api/compute/lcm.h"
