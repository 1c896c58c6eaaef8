// What workers call to send by way of a multiplexer of the second version. They compile; building one is a gap.
#pragma once
#include "tt_metal/fabric/hw/inc/tt_fabric_mux.hpp"

namespace tt::tt_fabric {

enum class FabricMuxV2SenderState : uint8_t { Disconnected = 0, Staging = 1, Connected = 2 };
static constexpr uint8_t kInvalidStatusReadTrid = 0xFF;

template <bool EagerStaging = false, uint8_t Buffers = 0>
class FabricMuxV2Sender : public WorkerToFabricEdmSenderImpl<false, Buffers> {
public:
    static constexpr bool USER_DEFINED_NUM_BUFFERS = Buffers != 0;

    static FabricMuxV2Sender build_from_args(std::size_t&, TS_AT) {
        ts_gap("multiplexers of fabric connections (FabricMuxV2Sender::build_from_args)", at);
    }
    void open(uint8_t = kInvalidStatusReadTrid, TS_AT) { WorkerToFabricEdmSenderImpl<false, Buffers>::open(at); }
    template <bool Blocking = true>
    bool flush() {
        return true;
    }
    template <size_t Wanted = 1>
    bool has_space_for_packet(TS_AT) const {
        return this->template edm_has_space_for_packet<Wanted>(at);
    }
    uint8_t get_stateful_send_data_noc_cmd_buf() const { return 0; }
    bool is_staging_ring_full() const { return false; }
};

}  // namespace tt::tt_fabric
