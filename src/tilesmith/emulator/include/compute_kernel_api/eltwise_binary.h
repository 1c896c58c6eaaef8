// The first generation's path of api/compute/eltwise_binary.h.
#pragma once
#include "api/compute/eltwise_binary.h"
