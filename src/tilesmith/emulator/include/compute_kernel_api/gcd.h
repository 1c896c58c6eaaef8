// The first generation's path of api/compute/gcd.h.
#pragma once
#include "api/compute/gcd.h"
