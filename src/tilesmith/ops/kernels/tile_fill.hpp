// Repeating and clearing parts of a 32x32 tile in L1: four faces of 16x16, left to right, then top to bottom.
#pragma once
#include <cstdint>

namespace tile {
constexpr uint32_t FACE = 16, ROWS = 32;

// The 16 elements of row `row` in the left (0) or right (1) faces.
inline uint32_t row_of(uint32_t row, uint32_t half) { return ((row / FACE) * 2 + half) * FACE + row % FACE; }

template <typename T>
void repeat_row(volatile T* data, uint32_t width) {
    for (uint32_t half = 0; half < 2; ++half) {
        const volatile T* source = data + row_of(0, half) * width;
        for (uint32_t row = 1; row < ROWS; ++row) {
            volatile T* target = data + row_of(row, half) * width;
            for (uint32_t i = 0; i < width; ++i) target[i] = source[i];
        }
    }
}

template <typename T>
void repeat_column(volatile T* data, uint32_t width) {
    for (uint32_t row = 0; row < ROWS; ++row) {
        volatile T* left = data + row_of(row, 0) * width;
        volatile T* right = data + row_of(row, 1) * width;
        const T value = left[0];
        for (uint32_t i = 0; i < width; ++i) left[i] = right[i] = value;
    }
}

// How to spread a tile: its first row down, its first column across, or both.
enum Spread : uint32_t { NONE = 0, DOWN = 1, ACROSS = 2 };

template <typename T>
void spread(uint32_t address, uint32_t how, uint32_t width = FACE) {
    volatile T* data = reinterpret_cast<volatile T*>(address);
    if (how & ACROSS) repeat_column(data, width);
    if (how & DOWN) repeat_row(data, width);
}

// `bytes` per element; block floats of 8 bits (exponents first, one for the 16 elements of a row) say 1.
inline void spread(uint32_t address, uint32_t how, uint32_t bytes, uint32_t exponents) {
    if (exponents) spread<uint8_t>(address, how, 1);
    address += exponents;
    if (bytes == 4) spread<uint32_t>(address, how);
    else if (bytes == 2) spread<uint16_t>(address, how);
    else spread<uint8_t>(address, how);
}

template <typename T>
void fill_outside(uint32_t address, uint32_t rows, uint32_t cols, T value) {
    volatile T* data = reinterpret_cast<volatile T*>(address);
    for (uint32_t row = 0; row < ROWS; ++row) {
        const uint32_t kept = row < rows ? cols : 0;
        for (uint32_t half = 0; half < 2; ++half) {
            volatile T* target = data + row_of(row, half) * FACE;
            const uint32_t from = kept > half * FACE ? kept - half * FACE : 0;
            for (uint32_t i = from; i < FACE; ++i) target[i] = value;
        }
    }
}

// What lies past the first `rows` rows and `cols` columns becomes `value`, given by its bits.
inline void fill_outside(uint32_t address, uint32_t rows, uint32_t cols, uint32_t bytes, uint32_t exponents,
                         uint32_t value) {
    if (rows >= ROWS && cols >= ROWS) return;
    address += exponents;
    if (bytes == 4) fill_outside<uint32_t>(address, rows, cols, value);
    else if (bytes == 2) fill_outside<uint16_t>(address, rows, cols, value);
    else fill_outside<uint8_t>(address, rows, cols, value);
}
}  // namespace tile
