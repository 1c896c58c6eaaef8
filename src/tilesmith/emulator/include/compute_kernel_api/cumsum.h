// The first generation's path of api/compute/cumsum.h.
#pragma once
#include "api/compute/cumsum.h"
