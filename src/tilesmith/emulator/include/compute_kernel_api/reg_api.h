// The first generation's path of api/compute/reg_api.h.
#pragma once
#include "api/compute/reg_api.h"
