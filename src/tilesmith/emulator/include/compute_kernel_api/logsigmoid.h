// The first generation's path of api/compute/logsigmoid.h.
#pragma once
#include "api/compute/logsigmoid.h"
