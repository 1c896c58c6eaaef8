// The program's circular buffers as the kernel sees them at compile time, in the vendor's names. The numbers
// themselves come with the kernel's text (ts/own_numbers.h): everything here is read once for all kernels.
#pragma once
#include "ts/formats.h"

#ifdef ARCH_WORMHOLE
inline constexpr std::uint32_t NUM_CIRCULAR_BUFFERS = 32;
#else
inline constexpr std::uint32_t NUM_CIRCULAR_BUFFERS = 64;
#endif

namespace ts {
constexpr uint32_t cb_format(uint32_t cb);
constexpr uint32_t cb_page_size(uint32_t cb);
constexpr uint32_t cb_tile_size(uint32_t cb);
constexpr uint32_t cb_tile_rows(uint32_t cb);
constexpr uint32_t cb_tile_cols(uint32_t cb);
constexpr uint32_t cb_face_rows(uint32_t cb);
constexpr uint32_t cb_faces(uint32_t cb);

constexpr uint32_t cb_faces_down(uint32_t cb) { return cb_tile_rows(cb) > 16 ? 2 : 1; }
constexpr uint32_t cb_faces_across(uint32_t cb) { return cb_tile_cols(cb) > 16 ? 2 : 1; }
constexpr uint32_t cb_is_partial(uint32_t cb) { return cb_tile_rows(cb) < 16; }
constexpr uint32_t cb_is_narrow(uint32_t cb) { return cb_tile_cols(cb) < 32; }

// Looked up where it is asked for. Tables worked out for every kernel would cost it more than its own text.
template <class T, uint32_t (*look)(uint32_t)>
struct CbTable {
    constexpr T operator[](uint32_t cb) const { return static_cast<T>(look(cb)); }
};
}  // namespace ts

// `unpack` and `pack` views are the same buffer; what the engines convert to is not known to kernels here.
inline constexpr ts::CbTable<unsigned char, ts::cb_format> unpack_src_format, unpack_dst_format;
inline constexpr ts::CbTable<unsigned char, ts::cb_format> pack_src_format, pack_dst_format;
inline constexpr ts::CbTable<uint16_t, ts::cb_tile_size> unpack_tile_size, pack_tile_size;
inline constexpr ts::CbTable<uint8_t, ts::cb_tile_rows> unpack_tile_r_dim, pack_tile_r_dim;
inline constexpr ts::CbTable<uint8_t, ts::cb_tile_cols> unpack_tile_c_dim, pack_tile_c_dim;
inline constexpr ts::CbTable<uint8_t, ts::cb_face_rows> unpack_tile_face_r_dim, pack_tile_face_r_dim;
inline constexpr ts::CbTable<uint8_t, ts::cb_faces_down> unpack_num_faces_r_dim, pack_num_faces_r_dim;
inline constexpr ts::CbTable<uint8_t, ts::cb_faces_across> unpack_num_faces_c_dim, pack_num_faces_c_dim;
inline constexpr ts::CbTable<uint8_t, ts::cb_faces> unpack_tile_num_faces, pack_tile_num_faces;
inline constexpr ts::CbTable<uint8_t, ts::cb_is_partial> unpack_partial_face, pack_partial_face;
inline constexpr ts::CbTable<uint8_t, ts::cb_is_narrow> unpack_narrow_tile, pack_narrow_tile;

constexpr int32_t get_tile_size(int32_t operand) { return ts::cb_tile_size(operand); }
constexpr uint32_t get_tile_hw(int32_t operand) { return ts::cb_tile_rows(operand) * ts::cb_tile_cols(operand); }
constexpr uint32_t get_tile_num_faces(int32_t operand) { return ts::cb_faces(operand); }
constexpr DataFormat get_dataformat(int32_t operand) { return static_cast<DataFormat>(ts::cb_format(operand)); }
