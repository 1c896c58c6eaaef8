#pragma once
#include "llk_defs.h"
