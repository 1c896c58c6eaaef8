// Helpers include this beside the vector functions they call; its macros, which start raw functions, are not modelled.
#pragma once
#include "ts/prologue.h"
