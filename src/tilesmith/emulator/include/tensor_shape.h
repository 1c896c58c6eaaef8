// The shape of a tile in faces, as some compute calls take it.
#pragma once
#include <cstdint>

namespace ckernel {
inline constexpr std::uint8_t MAX_FACE_R_DIM = 16;
inline constexpr std::uint8_t MAX_FACE_C_DIM = 16;
inline constexpr std::uint8_t MAX_NUM_FACES_R_DIM = 2;
inline constexpr std::uint8_t MAX_NUM_FACES_C_DIM = 2;
inline constexpr std::uint8_t MAX_NUM_FACES = 4;

struct TensorShape {
    std::uint8_t face_r_dim = 16, face_c_dim = 16, num_faces_r_dim = 2, num_faces_c_dim = 2;
    constexpr std::uint8_t total_num_faces() const { return num_faces_r_dim * num_faces_c_dim; }
    constexpr std::uint8_t total_row_dim() const { return face_r_dim * num_faces_r_dim; }
    constexpr std::uint8_t total_col_dim() const { return face_c_dim * num_faces_c_dim; }
};

constexpr TensorShape tensor_shape_from_num_faces(std::uint32_t face_r_dim, std::uint32_t num_faces) {
    const std::uint8_t across = num_faces >= 2 ? 2 : 1;
    return {static_cast<std::uint8_t>(face_r_dim), 16, static_cast<std::uint8_t>(num_faces / across), across};
}
}  // namespace ckernel
