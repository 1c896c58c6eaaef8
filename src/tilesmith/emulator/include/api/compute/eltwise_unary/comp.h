// Comparisons with zero and with a number: one where true, zero elsewhere.
#pragma once
#include "ts/sfpu/compare.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void gtz_tile_init(TS_AT) { ts::sfpu::initialise("gtz", at); }

ALWI void gtz_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"gtz", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::compare_with_zero<ts::sfpu::Compare::gt>(x); });
}

ALWI void gtz_tile_int32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"gtz", at}, idst, [](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::gt>(x, 0));
    });
}

ALWI void nez_tile_init(TS_AT) { ts::sfpu::initialise("nez", at); }

ALWI void nez_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"nez", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::compare_with_zero<ts::sfpu::Compare::ne>(x); });
}

ALWI void nez_tile_int32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"nez", at}, idst, [](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::ne>(ts::sfpu::beside_zero(x), 0));
    });
}

ALWI void gez_tile_init(TS_AT) { ts::sfpu::initialise("gez", at); }

ALWI void gez_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"gez", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::compare_with_zero<ts::sfpu::Compare::ge>(x); });
}

ALWI void gez_tile_int32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"gez", at}, idst, [](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::ge>(ts::sfpu::beside_zero(x), 0));
    });
}

ALWI void ltz_tile_init(TS_AT) { ts::sfpu::initialise("ltz", at); }

ALWI void ltz_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"ltz", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::compare_with_zero<ts::sfpu::Compare::lt>(x); });
}

ALWI void ltz_tile_int32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"ltz", at}, idst, [](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::lt>(ts::sfpu::beside_zero(x), 0));
    });
}

ALWI void eqz_tile_init(TS_AT) { ts::sfpu::initialise("eqz", at); }

ALWI void eqz_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"eqz", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::compare_with_zero<ts::sfpu::Compare::eq>(x); });
}

ALWI void eqz_tile_int32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"eqz", at}, idst, [](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::eq>(ts::sfpu::beside_zero(x), 0));
    });
}

ALWI void lez_tile_init(TS_AT) { ts::sfpu::initialise("lez", at); }

ALWI void lez_tile(uint32_t idst, TS_AT) {
    ts::sfpu::map_floats({"lez", at}, idst,
                         [](auto x) TS_OP { return ts::sfpu::compare_with_zero<ts::sfpu::Compare::le>(x); });
}

ALWI void lez_tile_int32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"lez", at}, idst, [](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::le>(x, 0));
    });
}

ALWI void nez_tile_uint16(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"nez", at}, idst, [](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::ne>(x, 0));
    });
}

ALWI void nez_tile_uint32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"nez", at}, idst, [](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::ne>(x, 0));
    });
}

ALWI void eqz_tile_uint16(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"eqz", at}, idst, [](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::eq>(x, 0));
    });
}

ALWI void eqz_tile_uint32(uint32_t idst, TS_AT) {
    ts::sfpu::map_words({"eqz", at}, idst, [](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::eq>(x, 0));
    });
}

ALWI void unary_ne_tile_init(TS_AT) { ts::sfpu::initialise("unary_ne", at); }

ALWI void unary_ne_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"unary_ne", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::compare_floats<ts::sfpu::Compare::ne>(x, ts::sfpu::scalar<decltype(x)>(param0));
    });
}

ALWI void unary_ne_tile_int32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"unary_ne", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::ne>(x, param0));
    });
}

ALWI void unary_eq_tile_init(TS_AT) { ts::sfpu::initialise("unary_eq", at); }

ALWI void unary_eq_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"unary_eq", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::compare_floats<ts::sfpu::Compare::eq>(x, ts::sfpu::scalar<decltype(x)>(param0));
    });
}

ALWI void unary_eq_tile_int32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"unary_eq", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::eq>(x, param0));
    });
}

ALWI void unary_gt_tile_init(TS_AT) { ts::sfpu::initialise("unary_gt", at); }

ALWI void unary_gt_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"unary_gt", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::compare_floats<ts::sfpu::Compare::gt>(x, ts::sfpu::scalar<decltype(x)>(param0));
    });
}

ALWI void unary_gt_tile_int32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"unary_gt", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::gt>(x, param0));
    });
}

ALWI void unary_ge_tile_init(TS_AT) { ts::sfpu::initialise("unary_ge", at); }

ALWI void unary_ge_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"unary_ge", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::compare_floats<ts::sfpu::Compare::ge>(x, ts::sfpu::scalar<decltype(x)>(param0));
    });
}

ALWI void unary_ge_tile_int32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"unary_ge", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::ge>(x, param0));
    });
}

ALWI void unary_lt_tile_init(TS_AT) { ts::sfpu::initialise("unary_lt", at); }

ALWI void unary_lt_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"unary_lt", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::compare_floats<ts::sfpu::Compare::lt>(x, ts::sfpu::scalar<decltype(x)>(param0));
    });
}

ALWI void unary_lt_tile_int32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"unary_lt", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::lt>(x, param0));
    });
}

ALWI void unary_le_tile_init(TS_AT) { ts::sfpu::initialise("unary_le", at); }

ALWI void unary_le_tile(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_floats({"unary_le", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::compare_floats<ts::sfpu::Compare::le>(x, ts::sfpu::scalar<decltype(x)>(param0));
    });
}

ALWI void unary_le_tile_int32(uint32_t idst, uint32_t param0, TS_AT) {
    ts::sfpu::map_words({"unary_le", at}, idst, [=](ts::sfpu::Int x) TS_OP {
        return ts::sfpu::truth(ts::sfpu::compare_ints<ts::sfpu::Compare::le>(x, param0));
    });
}
}  // namespace ckernel
