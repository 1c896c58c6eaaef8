// The first generation's path of api/compute/common.h.
#pragma once
#include "api/compute/common.h"
