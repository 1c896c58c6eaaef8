// TileSlice: a part of a tile in a circular buffer as text.
#pragma once
#include "ts/print.h"

#define CB_RD_PTR(id) (get_local_cb_interface(id).fifo_rd_ptr << cb_addr_shift)
#define CB_RD_SZ(id) (get_local_cb_interface(id).fifo_size << cb_addr_shift)
#define CB_WR_PTR(id) (get_local_cb_interface(id).fifo_wr_ptr << cb_addr_shift)
#define CB_PAGE_COUNT(id) (get_local_cb_interface(id).fifo_num_pages)
#define CB_PAGE_SIZE(id) (get_local_cb_interface(id).fifo_page_size << cb_addr_shift)

using dprint_tslice_ptr_t = bool;
using dprint_tslice_cb_t = bool;
#define TSLICE_RD_PTR true
#define TSLICE_WR_PTR false
#define TSLICE_INPUT_CB true
#define TSLICE_OUTPUT_CB false

struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws;
    static SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
    static SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
};

namespace ts {
// The datum at a row and column of a tile: in face order, unless the tile is already row by row.
inline uint32_t datum_index(uint32_t cb, uint32_t row, uint32_t col, bool row_major) {
    const uint32_t cols = cb_tile_cols(cb);
    if (row_major) return row * cols + col;
    const uint32_t face = row / 16 * cb_faces_across(cb) + col / 16;
    return face * cb_face_rows(cb) * 16 + row % 16 * 16 + col % 16;
}
inline void print_datum(PrintBuffer& buffer, DataFormat format, uint32_t tile, uint32_t index) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(tile));
    const auto load = [&]<class T>(T) {
        T value;
        std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
        return value;
    };
    switch (format) {
        case DataFormat::Float32: return PrintItem(load(float{})).print(buffer);
        case DataFormat::Float16_b: return PrintItem(BF16(load(uint16_t{}))).print(buffer);
        case DataFormat::Int32: return PrintItem(load(int32_t{})).print(buffer);
        case DataFormat::UInt32: return PrintItem(load(uint32_t{})).print(buffer);
        case DataFormat::UInt16: return PrintItem(load(uint16_t{})).print(buffer);
        case DataFormat::Int8: return PrintItem(static_cast<int>(load(int8_t{}))).print(buffer);
        case DataFormat::UInt8: return PrintItem(static_cast<unsigned>(load(uint8_t{}))).print(buffer);
        default: return buffer.add('?');
    }
}
}  // namespace ts

template <int MAX_BYTES = 64>
struct TileSlice {
#ifdef COMPILE_FOR_TRISC
    TileSlice(uint32_t cb, int tile_index, const SliceRange& range, bool endl_rows = true, bool print_untilized = true)
        : TileSlice(cb, CB_RD_PTR(cb), tile_index, range, endl_rows, print_untilized) {}
#else
    TileSlice(uint32_t cb, int tile_index, const SliceRange& range, dprint_tslice_cb_t = TSLICE_INPUT_CB,
              dprint_tslice_ptr_t pointer = TSLICE_RD_PTR, bool endl_rows = true, bool print_untilized = true)
        : TileSlice(cb, pointer == TSLICE_RD_PTR ? CB_RD_PTR(cb) : CB_WR_PTR(cb), tile_index, range, endl_rows,
                    print_untilized) {}
#endif
    void print_to(ts::PrintBuffer& buffer) const {
        for (uint32_t row = range_.h0; row < range_.h1; row += range_.hs) {
            for (uint32_t col = range_.w0; col < range_.w1; col += range_.ws) {
                ts::print_datum(buffer, ::get_dataformat(cb_), tile_, ts::datum_index(cb_, row, col, row_major_));
                buffer.add(' ');
            }
            if (lines_) buffer.add('\n');
        }
    }

private:
    TileSlice(uint32_t cb, uint32_t first, int tile_index, const SliceRange& range, bool lines, bool print_untilized)
        : cb_(cb),
          tile_(first + tile_index * CB_PAGE_SIZE(cb)),
          range_(range),
          lines_(lines),
          row_major_(!print_untilized) {}
    uint32_t cb_, tile_;
    SliceRange range_;
    bool lines_, row_major_;
};
using TSLICE = TileSlice<64>;
