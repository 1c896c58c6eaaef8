// The first generation's path of api/compute/quantization.h.
#pragma once
#include "api/compute/quantization.h"
