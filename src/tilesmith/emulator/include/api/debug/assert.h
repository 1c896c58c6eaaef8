// Assertions in kernels; a failed one is a finding.
#pragma once
#include "ts/prologue.h"

#define ASSERT(condition, ...)                                               \
    do {                                                                     \
        if (!(condition)) ts_assert_failed(#condition, ::ts::At::current()); \
    } while (0)
#define LIGHTWEIGHT_KERNEL_ASSERTS_ENABLED 1
#define ASSERT_ENABLED 1
