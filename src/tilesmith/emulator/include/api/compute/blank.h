// A compute kernel that does nothing.
#pragma once
#include "api/compute/common_globals.h"
