// Where the datum of a row and a column stands in a tile of four faces.
#pragma once
#include "num.h"

namespace ts::num {

constexpr int tile_side = 32;
constexpr uint32_t face_of(uint32_t row, uint32_t col) { return (row / 16 * 2 + col / 16) * face_words; }
constexpr uint32_t word_at(uint32_t row, uint32_t col) { return face_of(row, col) + row % 16 * 16 + col % 16; }

}  // namespace ts::num
