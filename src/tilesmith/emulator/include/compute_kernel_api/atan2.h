// The first generation's path of api/compute/atan2.h.
#pragma once
#include "api/compute/atan2.h"
