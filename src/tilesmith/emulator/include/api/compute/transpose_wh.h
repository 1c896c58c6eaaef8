// The first generation's name of transpose.h.
#pragma once
#include "api/compute/transpose.h"
