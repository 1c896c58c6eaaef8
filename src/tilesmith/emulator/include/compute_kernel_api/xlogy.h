// The first generation's path of api/compute/xlogy.h.
#pragma once
#include "api/compute/xlogy.h"
