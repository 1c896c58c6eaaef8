// The first generation's path of api/compute/binary_fmod.h.
#pragma once
#include "api/compute/binary_fmod.h"
