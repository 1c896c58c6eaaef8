// The older path of llk_defs.h.
#pragma once
#include "llk_defs.h"
