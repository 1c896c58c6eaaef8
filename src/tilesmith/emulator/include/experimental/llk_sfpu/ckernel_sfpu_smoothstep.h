// The cubic step between two edges, on one face: the vendor's example of a function in SFPI with arguments.
#pragma once
#include "sfpi.h"

namespace ckernel::sfpu {
inline void smoothstep_tile_face(float edge0, [[maybe_unused]] float edge1, float inv_delta) {
    for (int row = 0; row < 8; ++row) {
        const sfpi::vFloat x = sfpi::dst_reg[row];
        const sfpi::vFloat t = sfpi::clamp((x - edge0) * inv_delta, 0.0f, 1.0f);
        sfpi::dst_reg[row] = t * t * (3.0f - 2.0f * t);
    }
}
}  // namespace ckernel::sfpu
