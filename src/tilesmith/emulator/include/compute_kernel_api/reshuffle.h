// The first generation's path of api/compute/reshuffle.h.
#pragma once
#include "api/compute/reshuffle.h"
