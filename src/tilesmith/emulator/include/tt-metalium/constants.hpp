// The geometry of a full tile.
#pragma once
#include <cstdint>

namespace tt::constants {
using std::uint32_t;
inline constexpr uint32_t TILE_HEIGHT = 32;
inline constexpr uint32_t TILE_WIDTH = 32;
inline constexpr uint32_t TILE_HW = TILE_WIDTH * TILE_HEIGHT;
inline constexpr uint32_t FACE_HEIGHT = 16;
inline constexpr uint32_t FACE_WIDTH = 16;
inline constexpr uint32_t FACE_HW = FACE_WIDTH * FACE_HEIGHT;
}  // namespace tt::constants
