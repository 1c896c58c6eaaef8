// The NoCs that fabric traffic uses.
#pragma once
#include "api/dataflow/dataflow_api.h"

namespace tt::tt_fabric {

inline constexpr uint8_t edm_to_local_chip_noc = 1;
constexpr uint8_t get_fabric_worker_noc() { return noc_index; }

enum class EDM_IO_BLOCKING_MODE { FLUSH_BLOCKING, BLOCKING, NON_BLOCKING };

}  // namespace tt::tt_fabric

using tt::tt_fabric::edm_to_local_chip_noc;
