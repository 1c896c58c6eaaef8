// The standard headers kernels see, apart from everything that depends on a kernel: they are precompiled once.
#pragma once
#include <stdint.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>
