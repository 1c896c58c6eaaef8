// The first generation's name of transpose_dest.h.
#pragma once
#include "api/compute/transpose_dest.h"
