// The first generation's path of api/compute/layernorm.h.
#pragma once
#include "api/compute/layernorm.h"
