// Rounding up, and the coordinates and addresses of the NoC.
#pragma once
#include "ts/prologue.h"
#include "ts/dataflow/addresses.h"
