// Printing of Tensix registers; kernels include it and print with DPRINT.
#pragma once
#include "api/debug/dprint.h"
