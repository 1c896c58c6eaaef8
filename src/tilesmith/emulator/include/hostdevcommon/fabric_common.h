// What hosts and kernels of the fabric agree on.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tt::tt_fabric {

using chan_id_t = uint8_t;
using routing_plane_id_t = uint8_t;
inline constexpr uint32_t MAX_MESH_SIZE = 256, MAX_NUM_MESHES = 1024, PACKET_WORD_SIZE_BYTES = 16;
inline constexpr uint8_t USE_DYNAMIC_CREDIT_ADDR = 255;

enum eth_chan_magic_values : uint8_t { INVALID_DIRECTION = 0xDD, INVALID_ROUTING_TABLE_ENTRY = 0xFF };
enum eth_chan_directions : uint8_t { EAST = 0, WEST = 1, NORTH = 2, SOUTH = 3, Z = 4, COUNT = 5 };

}  // namespace tt::tt_fabric
