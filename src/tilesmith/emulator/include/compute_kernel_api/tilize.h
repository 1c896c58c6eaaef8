// The first generation's path of api/compute/tilize.h.
#pragma once
#include "api/compute/tilize.h"
