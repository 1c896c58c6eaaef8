// Connections to a multiplexer, a core that sends for several others. Its kernel is not modelled.
#pragma once
#include "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp"

namespace tt::tt_fabric {
template <uint8_t Slots>
using WorkerToFabricMuxSender = WorkerToFabricEdmSenderImpl<false, Slots>;
using FabricMuxStatus = EDMStatus;
using FabricEndpointStatus = EDMStatus;
}  // namespace tt::tt_fabric
