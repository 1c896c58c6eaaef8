// The first generation's path of api/compute/isclose.h.
#pragma once
#include "api/compute/isclose.h"
