// SFPU_BINARY_CALL and its like.
#pragma once
#include "sfpi.h"
