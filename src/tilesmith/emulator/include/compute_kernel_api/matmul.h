// The first generation's path of api/compute/matmul.h.
#pragma once
#include "api/compute/matmul.h"
