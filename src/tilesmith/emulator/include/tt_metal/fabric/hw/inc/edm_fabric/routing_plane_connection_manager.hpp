// Several connections of a worker, each with a tag: one for every direction or link it sends over.
#pragma once
#include <array>

#include "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp"

namespace tt::tt_fabric {

class RoutingPlaneConnectionManager final {
public:
    static constexpr std::size_t MaxConnections = 4;
    using Sender = WorkerToFabricEdmSender;
    enum BuildFromArgsMode : uint8_t { BUILD_ONLY, BUILD_AND_OPEN_CONNECTION, BUILD_AND_OPEN_CONNECTION_START_ONLY };
    struct ConnectionSlot {
        Sender sender;
        uint8_t tag = 0;
        uint16_t dst_dev_id = 0, dst_mesh_id = 0;
    };
    uint32_t ew_dim = 0;
    uint16_t my_mesh_id = 0, my_chip_id = 0;

    template <BuildFromArgsMode Mode = BUILD_ONLY, uint8_t Noc = get_fabric_worker_noc()>
    static RoutingPlaneConnectionManager build_from_args(std::size_t& arg_idx, uint32_t count, TS_AT) {
        RoutingPlaneConnectionManager manager;
        ASSERT(count <= MaxConnections);
        manager.count_ = count;
        for (uint32_t i = 0; i < count; ++i) {
            manager.slots_[i].tag = static_cast<uint8_t>(get_arg_val<uint32_t>(arg_idx++));
            manager.slots_[i].sender = Sender::build_from_args<ProgrammableCoreType::TENSIX>(arg_idx);
            if constexpr (Mode != BUILD_ONLY) manager.slots_[i].sender.open(at);
        }
#if defined(FABRIC_2D)
        manager.ew_dim = get_arg_val<uint32_t>(arg_idx++);
        manager.my_chip_id = static_cast<uint16_t>(get_arg_val<uint32_t>(arg_idx++));
        manager.my_mesh_id = static_cast<uint16_t>(get_arg_val<uint32_t>(arg_idx++));
        for (uint32_t i = 0; i < count; ++i) {
            manager.slots_[i].dst_dev_id = static_cast<uint16_t>(get_arg_val<uint32_t>(arg_idx++));
            manager.slots_[i].dst_mesh_id = static_cast<uint16_t>(get_arg_val<uint32_t>(arg_idx++));
        }
#endif
        return manager;
    }

    uint32_t active_count() const { return count_; }
    uint32_t get_tag(uint32_t index) const { return slots_[index].tag; }
    ConnectionSlot& get(uint32_t index) {
        ASSERT(index < count_);
        return slots_[index];
    }
    const ConnectionSlot& get(uint32_t index) const { return slots_[index]; }

    template <class Visit>
    void for_each(Visit&& visit) {
        for (uint32_t i = 0; i < count_; ++i) visit(slots_[i].sender, i, slots_[i].tag);
    }
    template <class Visit>
    void for_each_with_tag(uint32_t tag, Visit&& visit) {
        for (uint32_t i = 0; i < count_; ++i)
            if (slots_[i].tag == tag) visit(slots_[i].sender, i, slots_[i].tag);
    }

    template <bool SendCreditAddress = false, uint8_t Noc = get_fabric_worker_noc()>
    void open(TS_AT) {
        for (uint32_t i = 0; i < count_; ++i) slots_[i].sender.open(at);
    }
    template <bool SendCreditAddress = false, uint8_t Noc = get_fabric_worker_noc()>
    void open_start(TS_AT) {
        open(at);
    }
    template <uint8_t Noc = get_fabric_worker_noc()>
    void open_finish() {}
    template <uint8_t Noc = get_fabric_worker_noc()>
    void close_start() {}
    template <uint8_t Noc = get_fabric_worker_noc()>
    void close_finish(TS_AT) {
        close(at);
    }
    template <uint8_t Noc = get_fabric_worker_noc()>
    void close(TS_AT) {
        for (uint32_t i = 0; i < count_; ++i) slots_[i].sender.close(at);
    }

private:
    std::array<ConnectionSlot, MaxConnections> slots_{};
    uint32_t count_ = 0;
};

}  // namespace tt::tt_fabric
