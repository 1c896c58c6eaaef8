// The first generation's path of api/compute/ema.h.
#pragma once
#include "api/compute/ema.h"
