// Older names of logical_not_tile.
#pragma once
#include "api/compute/eltwise_unary/logical_not.h"

namespace ckernel {
ALWI void logical_not_unary_tile_init(TS_AT) { logical_not_tile_init(at); }
ALWI void logical_not_unary_tile(uint32_t idst, TS_AT) { logical_not_tile<DataFormat::Float16_b>(idst, at); }
ALWI void logical_not_unary_tile_int32(uint32_t idst, TS_AT) { logical_not_tile<DataFormat::Int32>(idst, at); }
ALWI void logical_not_unary_tile_uint32(uint32_t idst, TS_AT) { logical_not_tile<DataFormat::UInt32>(idst, at); }
ALWI void logical_not_unary_tile_uint16(uint32_t idst, TS_AT) { logical_not_tile<DataFormat::UInt16>(idst, at); }
}  // namespace ckernel
