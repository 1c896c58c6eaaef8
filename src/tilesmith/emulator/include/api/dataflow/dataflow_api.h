// The data-movement API of free functions: NoC transfers, barriers, semaphores, circular buffers, arguments.
#pragma once
#include "ts/prologue.h"

#include "api/alignment.h"
#include "api/debug/assert.h"
#include "api/debug/kernel_profiler.hpp"
#include "api/debug/waypoint.h"
#include "api/tensor/tensor_accessor.h"
#include "hostdevcommon/common_values.hpp"
#include "internal/circular_buffer_interface.h"
#include "ts/dataflow/barriers.h"
#include "ts/dataflow/multicast.h"
#include "ts/dataflow/pcie.h"
#include "ts/dataflow/reads.h"
#include "ts/dataflow/registers.h"
#include "ts/dataflow/semaphores.h"
#include "ts/dataflow/writes.h"

FORCE_INLINE bool is_l1_address(uint64_t addr) { return (addr & 0xFFFFFFFF) < 0xFF000000; }
