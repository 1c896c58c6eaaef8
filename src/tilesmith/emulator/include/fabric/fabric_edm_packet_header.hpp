// Headers of fabric packets: where a packet goes, and what its last router does with it. The emulator's routers read
// the route as it was asked for (ts/fabric_packet.h), so all of the vendor's types have one form.
#pragma once
#include <cstddef>
#include <initializer_list>

#include "api/debug/assert.h"
#include "hostdevcommon/fabric_common.h"
#include "tt_metal/fabric/hw/inc/fabric_routing_mode.h"
#include "tt_metal/fabric/hw/inc/noc_addr.h"
#include "ts/fabric_packet.h"

namespace tt::tt_fabric {

enum TerminationSignal : uint32_t { KEEP_RUNNING = 0, GRACEFULLY_TERMINATE = 1, IMMEDIATELY_TERMINATE = 2 };

enum EDMStatus : uint32_t {
    STARTED = 0xA0B0C0D0,
    REMOTE_HANDSHAKE_COMPLETE = 0xA1B1C1D1,
    LOCAL_HANDSHAKE_COMPLETE = 0xA2B2C2D2,
    READY_FOR_TRAFFIC = 0xA3B3C3D3,
    TERMINATED = 0xA4B4C4D4,
};

enum NocSendType : uint8_t {
    NOC_UNICAST_WRITE = 0,
    NOC_UNICAST_INLINE_WRITE = 1,
    NOC_UNICAST_ATOMIC_INC = 2,
    NOC_FUSED_UNICAST_ATOMIC_INC = 3,
    NOC_UNICAST_SCATTER_WRITE = 4,
    NOC_MULTICAST_WRITE = 5,
    NOC_MULTICAST_ATOMIC_INC = 6,
    NOC_UNICAST_READ = 7,
    NOC_SPARSE_MCAST_WRITE = 8,
};
enum ChipSendType : uint8_t { CHIP_UNICAST = 0, CHIP_MULTICAST = 1 };

struct MulticastRoutingCommandHeader {
    uint8_t start_distance_in_hops;
    uint8_t range_hops;
};
template <class Header>
struct SparseMulticastRoutingCommandHeader {
    using HopMaskType = uint32_t;
    HopMaskType hop_mask;
};

// ---- what is done on arrival ----

struct NocUnicastCommandHeader {
    uint64_t noc_address;
};
struct NocUnicastInlineWriteCommandHeader {
    uint64_t noc_address;
    uint32_t value;
};
struct NocUnicastAtomicIncCommandHeader {
    NocUnicastAtomicIncCommandHeader(uint64_t address, uint32_t increment, bool flushes = true)
        : noc_address(address), val(increment), flush(flushes) {}
    uint64_t noc_address;
    uint32_t val;
    bool flush;
};
struct NocUnicastAtomicIncFusedCommandHeader {
    NocUnicastAtomicIncFusedCommandHeader(uint64_t address, uint64_t semaphore, uint32_t increment, bool flushes = true)
        : noc_address(address), semaphore_noc_address(semaphore), val(increment), flush(flushes) {}
    uint64_t noc_address, semaphore_noc_address;
    uint32_t val;
    bool flush;
};

#define NOC_SCATTER_WRITE_MAX_CHUNKS 4
inline constexpr uint8_t NOC_SCATTER_WRITE_MIN_CHUNKS = 2;
#define NOC_SCATTER_WRITE_ATOMIC_INC_FUSED_WRITE_CHUNKS 2

struct NocUnicastScatterCommandHeader {
    uint64_t noc_address[NOC_SCATTER_WRITE_MAX_CHUNKS] = {};
    uint16_t chunk_size[NOC_SCATTER_WRITE_MAX_CHUNKS - 1] = {};
    uint8_t chunk_count = 0, chunk_encoding = 0;

    NocUnicastScatterCommandHeader(std::initializer_list<uint64_t> addresses,
                                   std::initializer_list<uint16_t> chunk_sizes = {}) {
        for (const uint64_t address : addresses) noc_address[chunk_count++] = address;
        uint32_t next = 0;
        for (const uint16_t size : chunk_sizes) chunk_size[next++] = size;
    }
    NocUnicastScatterCommandHeader(const uint64_t* addresses, const uint16_t* chunk_sizes, uint8_t count)
        : chunk_count(count) {
        ASSERT(count > 0 && count <= NOC_SCATTER_WRITE_MAX_CHUNKS);
        for (uint32_t i = 0; i < count; ++i) noc_address[i] = addresses[i];
        for (uint32_t i = 0; i + 1 < count; ++i) chunk_size[i] = chunk_sizes[i];
    }
};
struct NocUnicastScatterAtomicIncFusedCommandHeader {
    uint64_t noc_address[NOC_SCATTER_WRITE_ATOMIC_INC_FUSED_WRITE_CHUNKS] = {};
    uint64_t semaphore_noc_address;
    uint16_t chunk_size[NOC_SCATTER_WRITE_ATOMIC_INC_FUSED_WRITE_CHUNKS - 1] = {};
    uint16_t val;
    bool flush;

    NocUnicastScatterAtomicIncFusedCommandHeader(std::initializer_list<uint64_t> addresses, uint64_t semaphore,
                                                 std::initializer_list<uint16_t> chunk_sizes, uint16_t increment,
                                                 bool flushes = true)
        : semaphore_noc_address(semaphore), val(increment), flush(flushes) {
        uint32_t next = 0;
        for (const uint64_t address : addresses) noc_address[next++] = address;
        next = 0;
        for (const uint16_t size : chunk_sizes) chunk_size[next++] = size;
    }
};
struct NocMulticastCommandHeader {
    uint32_t address;
    uint8_t noc_x_start, noc_y_start, mcast_rect_size_x, mcast_rect_size_y;
};
struct NocMulticastAtomicIncCommandHeader {
    uint32_t address, val;
    uint8_t noc_x_start, noc_y_start, size_x, size_y;
};
#define NOC_SPARSE_MCAST_WRITE_MAX_DESTS 4
struct NocSparseMulticastWriteCommandHeader {
    uint64_t noc_address[NOC_SPARSE_MCAST_WRITE_MAX_DESTS];
    uint8_t counts[NOC_SPARSE_MCAST_WRITE_MAX_DESTS];
    uint8_t num_dests, num_chips, write_idx, chip_idx;
};

union NocCommandFields {
    NocCommandFields() {}
    NocUnicastCommandHeader unicast_write, unicast_read;
    NocUnicastInlineWriteCommandHeader unicast_inline_write;
    NocMulticastCommandHeader mcast_write;
    NocUnicastAtomicIncCommandHeader unicast_seminc;
    NocUnicastAtomicIncFusedCommandHeader unicast_seminc_fused;
    NocMulticastAtomicIncCommandHeader mcast_seminc;
    NocUnicastScatterCommandHeader unicast_scatter_write;
    NocSparseMulticastWriteCommandHeader sparse_mcast_write;
};
static_assert(sizeof(NocCommandFields) == 40);

// ---- the header ----

struct PacketHeader {  // its fields lie where ts::FabricHeader has them
    NocCommandFields command_fields;
    uint16_t payload_size_bytes;
    NocSendType noc_send_type;
    ts::FabricRoute route;
    uint8_t hops, range;
    uint16_t dst_start_chip_id;
    uint32_t hop_mask;
    uint8_t area[4];
    uint16_t dst_start_mesh_id;
    uint8_t unused[6];

    using Self = volatile PacketHeader*;

    size_t get_payload_size_excluding_header() const volatile { return payload_size_bytes; }
    size_t get_payload_size_including_header() const volatile { return payload_size_bytes + sizeof(PacketHeader); }
    void set_payload_size_bytes(uint16_t size) volatile { payload_size_bytes = size; }
    NocSendType get_noc_send_type() const volatile { return noc_send_type; }
    const volatile NocCommandFields& get_command_fields() const volatile { return command_fields; }
    void set_fused_unicast_write_atomic_inc_write_noc_address(uint64_t address) volatile {
        command_fields.unicast_seminc_fused.noc_address = address;
    }
    void set_fused_unicast_write_atomic_inc_value(uint32_t value) volatile {
        command_fields.unicast_seminc_fused.val = value;
    }

    Self to_chip_unicast(uint8_t distance_in_hops) volatile {
        route = ts::FabricRoute::hops;
        hops = distance_in_hops;
        return this;
    }
    Self to_chip_multicast(const MulticastRoutingCommandHeader& to) volatile {
        route = ts::FabricRoute::range;
        hops = to.start_distance_in_hops;
        range = to.range_hops;
        return this;
    }
    Self to_chip_sparse_multicast(const SparseMulticastRoutingCommandHeader<PacketHeader>& to) volatile {
        route = ts::FabricRoute::mask;
        hop_mask = to.hop_mask;
        return this;
    }

    Self to_noc_unicast_write(const NocUnicastCommandHeader& command, size_t payload) volatile {
        command_fields.unicast_write.noc_address = command.noc_address;
        return sends(NOC_UNICAST_WRITE, payload);
    }
    Self to_noc_unicast_inline_write(const NocUnicastInlineWriteCommandHeader& command) volatile {
        command_fields.unicast_inline_write.noc_address = command.noc_address;
        command_fields.unicast_inline_write.value = command.value;
        return sends(NOC_UNICAST_INLINE_WRITE, 0);
    }
    Self to_noc_unicast_atomic_inc(const NocUnicastAtomicIncCommandHeader& command) volatile {
        command_fields.unicast_seminc.noc_address = command.noc_address;
        command_fields.unicast_seminc.val = command.val;
        command_fields.unicast_seminc.flush = command.flush;
        return sends(NOC_UNICAST_ATOMIC_INC, 0);
    }
    Self to_noc_fused_unicast_write_atomic_inc(const NocUnicastAtomicIncFusedCommandHeader& command,
                                               size_t payload) volatile {
        command_fields.unicast_seminc_fused.noc_address = command.noc_address;
        command_fields.unicast_seminc_fused.semaphore_noc_address = command.semaphore_noc_address;
        command_fields.unicast_seminc_fused.val = command.val;
        command_fields.unicast_seminc_fused.flush = command.flush;
        return sends(NOC_FUSED_UNICAST_ATOMIC_INC, payload);
    }
    Self to_noc_unicast_scatter_write(const NocUnicastScatterCommandHeader& command, size_t payload) volatile {
        auto& fields = command_fields.unicast_scatter_write;
        fields.chunk_count = command.chunk_count;
        for (uint32_t i = 0; i < NOC_SCATTER_WRITE_MAX_CHUNKS; ++i) fields.noc_address[i] = command.noc_address[i];
        for (uint32_t i = 0; i + 1 < NOC_SCATTER_WRITE_MAX_CHUNKS; ++i) fields.chunk_size[i] = command.chunk_size[i];
        fields.chunk_encoding = 0;
        return sends(NOC_UNICAST_SCATTER_WRITE, payload);
    }
    // Two chunks, then the semaphore: its increment stands where a fourth size would.
    Self to_noc_fused_unicast_scatter_write_atomic_inc(const NocUnicastScatterAtomicIncFusedCommandHeader& command,
                                                       size_t payload) volatile {
        auto& fields = command_fields.unicast_scatter_write;
        fields.chunk_count = 3;
        for (uint32_t i = 0; i < 2; ++i) fields.noc_address[i] = command.noc_address[i];
        fields.noc_address[2] = command.semaphore_noc_address;
        fields.chunk_size[0] = command.chunk_size[0];
        fields.chunk_size[1] = static_cast<uint16_t>(payload - command.chunk_size[0]);
        fields.chunk_size[2] = command.val;
        fields.chunk_encoding = command.flush ? 3 : 2;
        return sends(NOC_UNICAST_SCATTER_WRITE, payload);
    }
    Self to_noc_multicast(const NocMulticastCommandHeader& command, size_t payload) volatile {
        command_fields.mcast_write.address = command.address;
        return sends(NOC_MULTICAST_WRITE, payload);
    }
    Self to_noc_sparse_mcast_write(const NocSparseMulticastWriteCommandHeader& command, size_t payload) volatile {
        for (uint32_t i = 0; i < command.num_dests; ++i)
            command_fields.sparse_mcast_write.noc_address[i] = command.noc_address[i];
        for (uint32_t i = 0; i < command.num_chips; ++i)
            command_fields.sparse_mcast_write.counts[i] = command.counts[i];
        command_fields.sparse_mcast_write.num_dests = command.num_dests;
        command_fields.sparse_mcast_write.num_chips = command.num_chips;
        return sends(NOC_SPARSE_MCAST_WRITE, payload);
    }

private:
    Self sends(NocSendType type, size_t payload) volatile {
        noc_send_type = type;
        payload_size_bytes = static_cast<uint16_t>(payload);
        return this;
    }
};
static_assert(sizeof(PacketHeader) == sizeof(ts::FabricHeader));

using LowLatencyPacketHeader = PacketHeader;
// Another type, by which kernels know that routes name chips and not hops.
struct HybridMeshPacketHeader : PacketHeader {};
struct UDMHybridMeshPacketHeader : HybridMeshPacketHeader {};

}  // namespace tt::tt_fabric

#ifndef PACKET_HEADER_TYPE
#if defined(FABRIC_2D)
#define PACKET_HEADER_TYPE tt::tt_fabric::HybridMeshPacketHeader
#else
#define PACKET_HEADER_TYPE tt::tt_fabric::LowLatencyPacketHeader
#endif
#endif
#define PACKET_HEADER_MAX_SIZE 64
