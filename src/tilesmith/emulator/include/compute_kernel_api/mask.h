// The first generation's path of api/compute/mask.h.
#pragma once
#include "api/compute/mask.h"
