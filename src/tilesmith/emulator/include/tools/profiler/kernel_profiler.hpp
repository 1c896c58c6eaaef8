// The path of the first name generation.
#pragma once
#include "api/debug/kernel_profiler.hpp"
