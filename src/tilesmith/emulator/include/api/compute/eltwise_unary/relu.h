// Rectifiers: plain, with a limit, leaky.
#pragma once
#include "ts/sfpu/integer.h"
#include "ts/sfpu/simple.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void relu_tile_init(TS_AT) { ts::sfpu::initialise("relu_min", at); }

ALWI void relu_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"relu_min:relu", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::at_least(x, decltype(x)(0.0f)); });
}

ALWI void relu_min_tile_init(TS_AT) { ts::sfpu::initialise("relu_min", at); }

ALWI void relu_min_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"relu_min", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::at_least(x, ts::sfpu::scalar<decltype(x)>(param0)); });
}

ALWI void relu_max_tile_init(TS_AT) { ts::sfpu::initialise("relu_max", at); }

ALWI void relu_max_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"relu_max", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::relu_max(x, ts::sfpu::scalar<decltype(x)>(param0)); });
}

ALWI void relu_tile_int32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"relu_min:relu", at}, idst,
                        [](ts::sfpu::Int x) TS_OP { return ts::sfpu::select(x < 0, ts::sfpu::Int(0), x); });
}

ALWI void relu_max_tile_int32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"relu_max", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::relu_of_integers<false, true>(x, param0); });
}

ALWI void relu_min_tile_int32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"relu_min", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::relu_of_integers<false, false>(x, param0); });
}

ALWI void relu_max_tile_uint32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"relu_max", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::relu_of_integers<true, true>(x, param0); });
}

ALWI void relu_min_tile_uint32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"relu_min", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::relu_of_integers<true, false>(x, param0); });
}

ALWI void relu_max_tile_uint16(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"relu_max", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::relu_of_integers<true, true>(x, param0); });
}

ALWI void relu_min_tile_uint16(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"relu_min", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return ts::sfpu::relu_of_integers<true, false>(x, param0); });
}

ALWI void leaky_relu_tile_init(TS_AT) { ts::sfpu::initialise("leaky_relu", at); }

ALWI void leaky_relu_tile(uint32_t idst, uint32_t slope = 0, TS_AT) {
    ts::sfpu::map_floats({"leaky_relu", at}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::leaky_relu(x, ts::sfpu::scalar<decltype(x)>(slope)); });
}

// Variants for the pack role, which owns the committed half of DST. They need no set-up of the math role.
ALWI void relu_max_tile_init_pack(TS_AT) {}

ALWI void relu_max_tile_pack(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"relu_max", at, VectorMode::RC, 8, ts::sfpu::On::pack}, idst,
                         [=](auto x) TS_OP { return ts::sfpu::relu_max(x, ts::sfpu::scalar<decltype(x)>(param0)); });
}
}  // namespace ckernel
