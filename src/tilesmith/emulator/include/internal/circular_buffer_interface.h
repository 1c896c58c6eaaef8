// The per-RISC view of a circular buffer that kernels reach into; LocalCBInterface stands in ts/cb.h.
#pragma once
#include "ts/prologue.h"
