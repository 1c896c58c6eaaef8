// Packet headers in L1 that a kernel need not keep a circular buffer for; each data-movement RISC has its own.
#pragma once
#include <utility>

#include "fabric/fabric_edm_packet_header.hpp"

class PacketHeaderPool {
public:
    static constexpr uint32_t most_headers = 32, most_routes = 16;
    static inline uint32_t used_ = 0;
    static inline uint8_t routes_ = 0;
    static inline std::pair<volatile PACKET_HEADER_TYPE*, uint8_t> header_table[most_routes] = {};

    static void reset() { used_ = routes_ = 0; }
    static volatile PACKET_HEADER_TYPE* allocate_header(uint8_t num_headers = 1) {
        ASSERT(used_ + num_headers <= most_headers && routes_ < most_routes);
        const uint32_t address = ts_fabric_header_pool() + used_ * sizeof(PACKET_HEADER_TYPE);
        auto* headers = reinterpret_cast<volatile PACKET_HEADER_TYPE*>(address);
        used_ += num_headers;
        header_table[routes_++] = {headers, num_headers};
        return headers;
    }
    static uint8_t allocate_header_n(uint8_t num_headers) {
        allocate_header(num_headers);
        return routes_ - 1;
    }
    static uint8_t get_num_headers(uint8_t route_id) { return route_id < routes_ ? header_table[route_id].second : 0; }

    template <class Visit>
    static void for_each_header(uint8_t route_id, Visit&& visit) {
        ASSERT(route_id < routes_);
        for (uint8_t i = 0; i < header_table[route_id].second; ++i) visit(header_table[route_id].first + i, i);
    }
};
