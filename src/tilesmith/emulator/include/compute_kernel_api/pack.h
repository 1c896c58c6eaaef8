// The first generation's path of api/compute/pack.h.
#pragma once
#include "api/compute/pack.h"
