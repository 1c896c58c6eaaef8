// The first generation's path of api/compute/blank.h.
#pragma once
#include "api/compute/blank.h"
