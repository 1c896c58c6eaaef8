// SFPU_UNARY_CALL and its like.
#pragma once
#include "sfpi.h"
