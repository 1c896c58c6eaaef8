// The first generation's path of api/compute/reduce_custom.h.
#pragma once
#include "api/compute/reduce_custom.h"
