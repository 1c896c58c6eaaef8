// What the host has set the fabric up with.
#pragma once
#include "api/dataflow/dataflow_api.h"

namespace tt::tt_fabric {
FORCE_INLINE uint32_t get_fabric_max_packet_size() { return 4352; }
}  // namespace tt::tt_fabric
