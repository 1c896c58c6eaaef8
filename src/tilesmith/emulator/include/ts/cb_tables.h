// The program's circular buffers as the kernel sees them at compile time, in the vendor's table names.
// The build gives TS_CB_FORMATS, TS_CB_PAGE_SIZES, TS_CB_TILE_SIZES, TS_CB_TILE_ROWS, TS_CB_TILE_COLS,
// TS_CB_FACE_ROWS, TS_CB_FACES: 64 numbers each.
#pragma once
#include "ts/formats.h"

#ifdef ARCH_WORMHOLE
inline constexpr std::uint32_t NUM_CIRCULAR_BUFFERS = 32;
#else
inline constexpr std::uint32_t NUM_CIRCULAR_BUFFERS = 64;
#endif

namespace ts {
inline constexpr uint32_t max_cb_tables = 64;
template <class T>
using CbTable = std::array<T, max_cb_tables>;

inline constexpr CbTable<uint32_t> cb_formats = TS_CB_FORMATS;
inline constexpr CbTable<uint32_t> cb_page_sizes = TS_CB_PAGE_SIZES;
inline constexpr CbTable<uint32_t> cb_tile_sizes = TS_CB_TILE_SIZES;
inline constexpr CbTable<uint32_t> cb_tile_rows = TS_CB_TILE_ROWS;
inline constexpr CbTable<uint32_t> cb_tile_cols = TS_CB_TILE_COLS;
inline constexpr CbTable<uint32_t> cb_faces = TS_CB_FACES;
inline constexpr CbTable<uint32_t> cb_rows_of_faces = TS_CB_FACE_ROWS;

template <class T, class Function>
constexpr CbTable<T> cb_table_of(Function function) {
    CbTable<T> table{};
    for (uint32_t cb = 0; cb < max_cb_tables; ++cb) table[cb] = static_cast<T>(function(cb));
    return table;
}

constexpr uint32_t cb_face_rows(uint32_t cb) { return cb_rows_of_faces[cb]; }
constexpr uint32_t cb_faces_down(uint32_t cb) { return cb_tile_rows[cb] > 16 ? 2 : 1; }
constexpr uint32_t cb_faces_across(uint32_t cb) { return cb_tile_cols[cb] > 16 ? 2 : 1; }
}  // namespace ts

// `unpack` and `pack` views are the same buffer; what the engines convert to is not known to kernels here.
inline constexpr auto unpack_src_format =
    ts::cb_table_of<unsigned char>([](uint32_t cb) { return ts::cb_formats[cb]; });
inline constexpr auto unpack_dst_format = unpack_src_format;
inline constexpr auto pack_src_format = unpack_src_format;
inline constexpr auto pack_dst_format = unpack_src_format;
inline constexpr auto unpack_tile_size = ts::cb_table_of<uint16_t>([](uint32_t cb) { return ts::cb_tile_sizes[cb]; });
inline constexpr auto pack_tile_size = unpack_tile_size;
inline constexpr auto unpack_tile_r_dim = ts::cb_table_of<uint8_t>([](uint32_t cb) { return ts::cb_tile_rows[cb]; });
inline constexpr auto pack_tile_r_dim = unpack_tile_r_dim;
inline constexpr auto unpack_tile_c_dim = ts::cb_table_of<uint8_t>([](uint32_t cb) { return ts::cb_tile_cols[cb]; });
inline constexpr auto pack_tile_c_dim = unpack_tile_c_dim;
inline constexpr auto unpack_tile_face_r_dim = ts::cb_table_of<uint8_t>(ts::cb_face_rows);
inline constexpr auto pack_tile_face_r_dim = unpack_tile_face_r_dim;
inline constexpr auto unpack_num_faces_r_dim = ts::cb_table_of<uint8_t>(ts::cb_faces_down);
inline constexpr auto pack_num_faces_r_dim = unpack_num_faces_r_dim;
inline constexpr auto unpack_num_faces_c_dim = ts::cb_table_of<uint8_t>(ts::cb_faces_across);
inline constexpr auto pack_num_faces_c_dim = unpack_num_faces_c_dim;
inline constexpr auto unpack_tile_num_faces = ts::cb_table_of<uint8_t>([](uint32_t cb) { return ts::cb_faces[cb]; });
inline constexpr auto pack_tile_num_faces = unpack_tile_num_faces;
inline constexpr auto unpack_partial_face =
    ts::cb_table_of<uint8_t>([](uint32_t cb) { return ts::cb_tile_rows[cb] < 16; });
inline constexpr auto pack_partial_face = unpack_partial_face;
inline constexpr auto unpack_narrow_tile =
    ts::cb_table_of<uint8_t>([](uint32_t cb) { return ts::cb_tile_cols[cb] < 32; });
inline constexpr auto pack_narrow_tile = unpack_narrow_tile;

constexpr int32_t get_tile_size(int32_t operand) { return ts::cb_tile_sizes[operand]; }
constexpr uint32_t get_tile_hw(int32_t operand) { return ts::cb_tile_rows[operand] * ts::cb_tile_cols[operand]; }
constexpr uint32_t get_tile_num_faces(int32_t operand) { return unpack_tile_num_faces[operand]; }
constexpr DataFormat get_dataformat(int32_t operand) { return static_cast<DataFormat>(ts::cb_formats[operand]); }
