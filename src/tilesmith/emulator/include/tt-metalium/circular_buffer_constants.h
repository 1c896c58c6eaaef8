// The number of circular buffers, which comes with the prologue.
#pragma once
#include "ts/prologue.h"
