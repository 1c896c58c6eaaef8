// The first generation's path of api/compute/untilize.h.
#pragma once
#include "api/compute/untilize.h"
