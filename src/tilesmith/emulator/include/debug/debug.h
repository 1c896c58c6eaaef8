// Kernels of the first generation include this name, which the C++ library may use for a header of its own.
#pragma once
#if __has_include_next(<debug/debug.h>)
#include_next <debug/debug.h>
#endif
