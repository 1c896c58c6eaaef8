// The first generation's path of api/compute/softmax.h.
#pragma once
#include "api/compute/softmax.h"
