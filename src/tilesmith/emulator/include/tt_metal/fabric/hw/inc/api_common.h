// What calls of the fabric's API with kept state change in a packet header: masks, and how the fields are filled in.
#pragma once
#include <cstddef>
#include <type_traits>

#include "tt_metal/fabric/hw/inc/edm_fabric/routing_plane_connection_manager.hpp"
#include "tt_metal/fabric/hw/inc/tt_fabric_mux_interface.hpp"

namespace tt::tt_fabric::common::experimental {

template <class Sender>
inline constexpr bool is_edm_sender_v = std::is_same_v<Sender, tt::tt_fabric::WorkerToFabricEdmSender>;
template <class Sender>
inline constexpr bool is_mux_sender_v = false;
template <uint8_t Slots>
inline constexpr bool is_mux_sender_v<tt::tt_fabric::WorkerToFabricMuxSender<Slots>> = true;
template <class Sender>
inline constexpr bool is_fabric_mux_v2_sender_v = false;

#define TS_FABRIC_MASK(Mask, ...)                                                                     \
    enum class Mask : uint32_t { None = 0, __VA_ARGS__, All = 0xffffffffu };                          \
    constexpr Mask operator|(Mask a, Mask b) { return static_cast<Mask>(uint32_t(a) | uint32_t(b)); } \
    constexpr Mask operator&(Mask a, Mask b) { return static_cast<Mask>(uint32_t(a) & uint32_t(b)); } \
    constexpr bool has_flag(Mask mask, Mask bit) { return uint32_t(mask & bit) != 0; }

TS_FABRIC_MASK(UnicastWriteUpdateMask, DstAddr = 1, PayloadSize = 2)
TS_FABRIC_MASK(UnicastInlineWriteUpdateMask, DstAddr = 1, Value = 2)
TS_FABRIC_MASK(UnicastAtomicIncUpdateMask, DstAddr = 1, Val = 2, Flush = 4)
TS_FABRIC_MASK(UnicastScatterWriteUpdateMask, DstAddrs = 1, ChunkSizes = 2, PayloadSize = 4)
TS_FABRIC_MASK(UnicastFusedAtomicIncUpdateMask, WriteDstAddr = 1, SemaphoreAddr = 2, Val = 4, Flush = 8,
               PayloadSize = 16)
TS_FABRIC_MASK(UnicastFusedScatterWriteAtomicIncUpdateMask, WriteDstAddrs = 1, SemaphoreDstAddr = 2,
               WriteChunkSizes = 4, Val = 8, Flush = 16, PayloadSize = 32)
#undef TS_FABRIC_MASK

template <UnicastWriteUpdateMask Changes, class Command>
FORCE_INLINE void populate_unicast_write_fields(volatile PACKET_HEADER_TYPE* header, uint16_t size,
                                                const Command& command) {
    using Mask = UnicastWriteUpdateMask;
    if constexpr (has_flag(Changes, Mask::DstAddr) && !std::is_same_v<Command, std::nullptr_t>)
        header->command_fields.unicast_write.noc_address = command.noc_address;
    if constexpr (has_flag(Changes, Mask::PayloadSize)) header->payload_size_bytes = size;
}

template <UnicastInlineWriteUpdateMask Changes, class Command>
FORCE_INLINE void populate_unicast_inline_fields(volatile PACKET_HEADER_TYPE* header, const Command& command) {
    using Mask = UnicastInlineWriteUpdateMask;
    auto& fields = header->command_fields.unicast_inline_write;
    if constexpr (has_flag(Changes, Mask::DstAddr)) fields.noc_address = command.noc_address;
    if constexpr (has_flag(Changes, Mask::Value)) fields.value = command.value;
}

template <UnicastAtomicIncUpdateMask Changes, class Command>
FORCE_INLINE void populate_unicast_atomic_inc_fields(volatile PACKET_HEADER_TYPE* header, const Command& command) {
    using Mask = UnicastAtomicIncUpdateMask;
    auto& fields = header->command_fields.unicast_seminc;
    if constexpr (has_flag(Changes, Mask::DstAddr)) fields.noc_address = command.noc_address;
    if constexpr (has_flag(Changes, Mask::Val)) fields.val = command.val;
    if constexpr (has_flag(Changes, Mask::Flush)) fields.flush = command.flush;
}

template <UnicastScatterWriteUpdateMask Changes, class Command>
FORCE_INLINE void populate_unicast_scatter_write_fields(volatile PACKET_HEADER_TYPE* header, uint16_t size,
                                                        const Command& command) {
    using Mask = UnicastScatterWriteUpdateMask;
    auto& fields = header->command_fields.unicast_scatter_write;
    if constexpr (has_flag(Changes, Mask::DstAddrs | Mask::ChunkSizes)) fields.chunk_count = command.chunk_count;
    if constexpr (has_flag(Changes, Mask::DstAddrs))
        for (uint32_t i = 0; i < NOC_SCATTER_WRITE_MAX_CHUNKS; ++i) fields.noc_address[i] = command.noc_address[i];
    if constexpr (has_flag(Changes, Mask::ChunkSizes))
        for (uint32_t i = 0; i + 1 < NOC_SCATTER_WRITE_MAX_CHUNKS; ++i) fields.chunk_size[i] = command.chunk_size[i];
    if constexpr (has_flag(Changes, Mask::PayloadSize)) header->payload_size_bytes = size;
    fields.chunk_encoding = 0;
}

template <UnicastFusedAtomicIncUpdateMask Changes, class Command>
FORCE_INLINE void populate_unicast_fused_atomic_inc_fields(volatile PACKET_HEADER_TYPE* header, uint16_t size,
                                                           const Command& command) {
    using Mask = UnicastFusedAtomicIncUpdateMask;
    auto& fields = header->command_fields.unicast_seminc_fused;
    if constexpr (has_flag(Changes, Mask::WriteDstAddr)) fields.noc_address = command.noc_address;
    if constexpr (has_flag(Changes, Mask::SemaphoreAddr)) fields.semaphore_noc_address = command.semaphore_noc_address;
    if constexpr (has_flag(Changes, Mask::Val)) fields.val = command.val;
    if constexpr (has_flag(Changes, Mask::Flush)) fields.flush = command.flush;
    if constexpr (has_flag(Changes, Mask::PayloadSize)) header->payload_size_bytes = size;
}

template <UnicastFusedScatterWriteAtomicIncUpdateMask Changes, class Command>
FORCE_INLINE void populate_unicast_fused_scatter_write_atomic_inc_fields(volatile PACKET_HEADER_TYPE* header,
                                                                         uint16_t size, const Command& command) {
    using Mask = UnicastFusedScatterWriteAtomicIncUpdateMask;
    auto& fields = header->command_fields.unicast_scatter_write;
    fields.chunk_count = 3;
    if constexpr (has_flag(Changes, Mask::WriteDstAddrs))
        for (uint32_t i = 0; i < 2; ++i) fields.noc_address[i] = command.noc_address[i];
    if constexpr (has_flag(Changes, Mask::SemaphoreDstAddr)) fields.noc_address[2] = command.semaphore_noc_address;
    if constexpr (has_flag(Changes, Mask::WriteChunkSizes)) {
        fields.chunk_size[0] = command.chunk_size[0];
        fields.chunk_size[1] = static_cast<uint16_t>(size - command.chunk_size[0]);
    }
    if constexpr (has_flag(Changes, Mask::Val)) fields.chunk_size[2] = command.val;
    if constexpr (has_flag(Changes, Mask::Flush)) fields.chunk_encoding = command.flush ? 3 : 2;
    if constexpr (has_flag(Changes, Mask::PayloadSize)) header->payload_size_bytes = size;
}

template <uint8_t Noc = tt::tt_fabric::get_fabric_worker_noc()>
FORCE_INLINE void open_connections(tt::tt_fabric::RoutingPlaneConnectionManager& manager, uint32_t count,
                                   size_t& rt_arg_idx, TS_AT) {
    using Manager = tt::tt_fabric::RoutingPlaneConnectionManager;
    manager = Manager::build_from_args<Manager::BUILD_AND_OPEN_CONNECTION>(rt_arg_idx, count, at);
}
template <uint8_t Noc = tt::tt_fabric::get_fabric_worker_noc()>
FORCE_INLINE void close_connections(tt::tt_fabric::RoutingPlaneConnectionManager& manager, TS_AT) {
    manager.close(at);
}

}  // namespace tt::tt_fabric::common::experimental
