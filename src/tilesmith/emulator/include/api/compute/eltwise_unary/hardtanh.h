// hardtanh_tile: limits from below and above.
#pragma once
#include "ts/sfpu/instructions.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void hardtanh_tile_init(TS_AT) { ts::sfpu::initialise("hardtanh", at); }

ALWI void hardtanh_tile(uint32_t idst, uint32_t param0, uint32_t param1, TS_AT) {
    ts::sfpu::map_floats({"hardtanh", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::clamp(x, ts::sfpu::scalar<decltype(x)>(param0), ts::sfpu::scalar<decltype(x)>(param1));
    });
}

// Variants for the pack role, which owns the committed half of DST. They need no set-up of the math role.
ALWI void hardtanh_tile_init_pack(TS_AT) {}

ALWI void hardtanh_tile_pack(uint32_t idst, uint32_t param0, uint32_t param1, TS_AT) {
    ts::sfpu::map_floats({"hardtanh", at, VectorMode::RC, 8, ts::sfpu::On::pack}, idst, [=](auto x) TS_OP {
        return ts::sfpu::clamp(x, ts::sfpu::scalar<decltype(x)>(param0), ts::sfpu::scalar<decltype(x)>(param1));
    });
}
}  // namespace ckernel
