// Names for places and shapes between chips, for kernels that get them as arguments.
#pragma once
#include <cstdint>

namespace tt::tt_fabric {
enum class Topology { NeighborExchange = 0, Linear = 1, Ring = 2, Mesh = 3, Torus = 4 };
constexpr bool is_2D_topology(Topology topology) { return topology == Topology::Mesh || topology == Topology::Torus; }
constexpr bool is_ring_or_torus(Topology topology) { return topology == Topology::Ring || topology == Topology::Torus; }

struct WorkerXY {
    uint16_t x;
    uint16_t y;
    constexpr WorkerXY(uint16_t x = 0, uint16_t y = 0) : x(x), y(y) {}
    constexpr bool operator==(const WorkerXY&) const = default;
    constexpr uint32_t to_uint32() const { return static_cast<uint32_t>(y) << 16 | x; }
    static constexpr WorkerXY from_uint32(uint32_t packed) {
        return {static_cast<uint16_t>(packed), static_cast<uint16_t>(packed >> 16)};
    }
};
}  // namespace tt::tt_fabric
