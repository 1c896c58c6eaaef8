// What the vendor's example of a function in SFPI adds: two tiles of DST, one face a call.
#pragma once
#include "sfpi.h"

namespace ckernel::sfpu {
inline void my_add_tile_face(uint32_t in0, uint32_t in1, uint32_t out) {
    for (uint32_t row = 0; row < 8; ++row) {
        const sfpi::vFloat a = sfpi::dst_reg[in0 * 32 + row], b = sfpi::dst_reg[in1 * 32 + row];
        sfpi::dst_reg[out * 32 + row] = a + b;
    }
}
}  // namespace ckernel::sfpu
