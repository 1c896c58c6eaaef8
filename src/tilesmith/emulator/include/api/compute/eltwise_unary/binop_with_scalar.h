// A tile and a number: add, subtract, multiply, divide.
#pragma once
#include "ts/sfpu/simple.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
enum { ADD_UNARY = 0, SUB_UNARY = 1, MUL_UNARY = 2, DIV_UNARY = 3, RSUB_UNARY = 4 };

ALWI void binop_with_scalar_tile_init(TS_AT) { ts::sfpu::initialise("binop_with_scalar", at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_unary_tile(uint32_t idst, uint32_t param1, TS_AT) {
    ts::sfpu::map_floats({"binop_with_scalar:add_unary", at}, idst,
                         [=](auto x) TS_OP { return x + ts::sfpu::scalar<decltype(x)>(param1); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_unary_tile(uint32_t idst, uint32_t param1, TS_AT) {
    ts::sfpu::map_floats({"binop_with_scalar:sub_unary", at}, idst,
                         [=](auto x) TS_OP { return x - ts::sfpu::scalar<decltype(x)>(param1); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_unary_tile(uint32_t idst, uint32_t param1, TS_AT) {
    ts::sfpu::map_floats({"binop_with_scalar:mul_unary", at}, idst,
                         [=](auto x) TS_OP { return decltype(x)(x * ts::sfpu::scalar<decltype(x)>(param1)); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void div_unary_tile(uint32_t idst, uint32_t param1, TS_AT) {
    ts::sfpu::map_floats({"binop_with_scalar:div_unary", at}, idst,
                         [=](auto x) TS_OP { return decltype(x)(x * ts::sfpu::scalar<decltype(x)>(param1)); });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsub_unary_tile(uint32_t idst, uint32_t param1, TS_AT) {
    ts::sfpu::map_floats({"binop_with_scalar:rsub_unary", at}, idst, [=](auto x) TS_OP {
        return ts::sfpu::reverse_subtract<is_fp32_dest_acc_en>(x, ts::sfpu::scalar<decltype(x)>(param1));
    });
}

ALWI void add_unary_tile_int32(uint32_t idst, uint32_t param1, TS_AT) {
    ts::sfpu::map_words({"binop_with_scalar:add_unary", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return x + ts::sfpu::Int(param1); });
}

ALWI void sub_unary_tile_int32(uint32_t idst, uint32_t param1, TS_AT) {
    ts::sfpu::map_words({"binop_with_scalar:sub_unary", at}, idst,
                        [=](ts::sfpu::Int x) TS_OP { return x - ts::sfpu::Int(param1); });
}
}  // namespace ckernel
