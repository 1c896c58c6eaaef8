// What every compute kernel uses: DST, packing, formats, circular buffers, start-up.
#pragma once
#include "api/compute/cb_api.h"
#include "api/compute/common_globals.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/debug/assert.h"
#include "ts/dataflow/identity.h"
#include "ts/llk_calls.h"
