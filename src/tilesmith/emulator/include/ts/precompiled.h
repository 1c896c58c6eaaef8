// What is parsed once for every kernel: the standard headers, and what readers include besides: it takes gcc a third
// of their time.
#pragma once
#include <algorithm>

#include "ts/standard.h"
