// The first generation's path of api/compute/welford.h.
#pragma once
#include "api/compute/welford.h"
