// How many threads run a kernel and which one this is; on these chips there is one.
#pragma once
#include "ts/prologue.h"
