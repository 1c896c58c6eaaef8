// The first generation's path of api/compute/reduce.h.
#pragma once
#include "api/compute/reduce.h"
