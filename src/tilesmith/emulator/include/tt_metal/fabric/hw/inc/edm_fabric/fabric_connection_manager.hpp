// The two connections of a worker on a line or ring of chips: to the next chip and to the one before.
#pragma once
#include "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp"

class FabricConnectionManager final {
public:
    using Sender = tt::tt_fabric::WorkerToFabricEdmSender;
    enum BuildFromArgsMode : uint8_t { BUILD_ONLY, BUILD_AND_OPEN_CONNECTION, BUILD_AND_OPEN_CONNECTION_START_ONLY };

    // Per direction: whether there is a connection, and its arguments.
    template <BuildFromArgsMode Mode = BUILD_ONLY>
    static FabricConnectionManager build_from_args(std::size_t& arg_idx, TS_AT) {
        FabricConnectionManager manager;
        for (int direction = 0; direction < 2; ++direction) {
            manager.connected_[direction] = get_arg_val<uint32_t>(arg_idx++) != 0;
            if (!manager.connected_[direction]) continue;
            manager.senders_[direction] = Sender::build_from_args<ProgrammableCoreType::TENSIX>(arg_idx);
            if constexpr (Mode != BUILD_ONLY) manager.senders_[direction].open(at);
        }
        return manager;
    }

    bool is_logically_connected() const { return connected_[0] || connected_[1]; }
    bool has_forward_connection() const { return connected_[0]; }
    bool has_backward_connection() const { return connected_[1]; }
    Sender& get_forward_connection() { return get(0); }
    Sender& get_backward_connection() { return get(1); }

    template <bool SendCreditAddress = false>
    void open(TS_AT) {
        for (int i = 0; i < 2; ++i)
            if (connected_[i]) senders_[i].open(at);
    }
    void open_finish() {}
    void close_start() {}
    void close_finish(TS_AT) { close(at); }
    void close(TS_AT) {
        for (int i = 0; i < 2; ++i)
            if (connected_[i]) senders_[i].close(at);
    }

private:
    Sender& get(int direction) {
        ASSERT(connected_[direction]);
        return senders_[direction];
    }
    Sender senders_[2];
    bool connected_[2] = {};
};
