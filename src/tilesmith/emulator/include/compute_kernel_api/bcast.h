// The first generation's path of api/compute/bcast.h.
#pragma once
#include "api/compute/bcast.h"
