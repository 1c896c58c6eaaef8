// How a function written in SFPI runs over a tile: once per face, dst_reg at the top of it.
#pragma once
#include "ts/sfpi/registers.h"

namespace ts::sfpi_unit {
template <class Function, class... Arguments>
TS_NO_CHECK inline void run_faces(uint32_t tile, VectorMode mode, At at, Function&& function,
                                  Arguments&&... arguments) {
    constexpr uint32_t rows_of_face = 16, rows_of_tile = 64;
    const auto run = [&](uint32_t face) TS_NO_CHECK {
        state.first_row = tile * rows_of_tile + face * rows_of_face;
        state.row = 0;
        function(arguments...);
    };
    ts_sfpu_own_begin(at);
    state = {};
    switch (mode) {
        case VectorMode::RC:
            for (uint32_t face = 0; face < 4; ++face) run(face);
            break;
        case VectorMode::R:
            run(0);
            run(1);
            break;
        case VectorMode::C:
            run(0);
            run(2);
            break;
        default: run(0);
    }
    ts_sfpu_own_end(state.cycles);
}
}  // namespace ts::sfpi_unit

// As the vendor's code calls them, with or without a template argument for the approximation.
template <bool approximate = false, class Function, class... More>
ALWI void _llk_math_eltwise_unary_sfpu_params_(Function&& function, sfpi::impl_::RowIndex tile,
                                               ts::sfpu::ModeArgument mode, More... more) {
    ts::sfpi_unit::run_faces(tile.index, mode, tile.at, function, more...);
}
template <bool approximate = false, class Function, class... More>
ALWI void _llk_math_eltwise_binary_sfpu_params_(Function&& function, sfpi::impl_::RowIndex in0, uint32_t in1,
                                                uint32_t out, ts::sfpu::ModeArgument mode, More... more) {
    ts::sfpi_unit::run_faces(0, mode, in0.at, function, static_cast<uint32_t>(in0.index), in1, out, more...);
}
template <bool approximate = false, class Function, class... More>
ALWI void _llk_math_eltwise_ternary_sfpu_params_(Function&& function, sfpi::impl_::RowIndex in0, uint32_t in1,
                                                 uint32_t in2, uint32_t out, ts::sfpu::ModeArgument mode,
                                                 More... more) {
    ts::sfpi_unit::run_faces(0, mode, in0.at, function, static_cast<uint32_t>(in0.index), in1, in2, out, more...);
}

// ---- the macros that hand a function to them ----
#define TS_SFPU_TEMPLATES(...) __VA_ARGS__
#define SFPU_UNARY_CALL(sync, wide, function, templates, tile, mode, ...)                              \
    _llk_math_eltwise_unary_sfpu_params_(::ckernel::sfpu::function<TS_SFPU_TEMPLATES templates>, tile, \
                                         mode __VA_OPT__(, ) __VA_ARGS__)
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(sync, wide, function, tile, mode, ...) \
    _llk_math_eltwise_unary_sfpu_params_(::ckernel::sfpu::function, tile, mode __VA_OPT__(, ) __VA_ARGS__)
#define SFPU_BINARY_CALL(sync, wide, function, templates, in0, in1, out, mode, ...)                              \
    _llk_math_eltwise_binary_sfpu_params_(::ckernel::sfpu::function<TS_SFPU_TEMPLATES templates>, in0, in1, out, \
                                          mode __VA_OPT__(, ) __VA_ARGS__)
#define SFPU_BINARY_CALL_NO_TEMPLATE_ARGS(sync, wide, function, in0, in1, out, mode, ...) \
    _llk_math_eltwise_binary_sfpu_params_(::ckernel::sfpu::function, in0, in1, out, mode __VA_OPT__(, ) __VA_ARGS__)
#define SFPU_UNARY_INIT_FN(type, function, templates, ...) ::ckernel::function<TS_SFPU_TEMPLATES templates>(__VA_ARGS__)

namespace ckernel::sfpu {
// A number on each datum of a face.
template <bool approximate, int operation, int iterations = 8, bool is_fp32_dest_acc_en = false>
inline void calculate_binop_with_scalar(uint32_t scalar) {
    static_assert(operation >= 0 && operation <= 3, "the reversed difference is not modelled here");
    const sfpi::vFloat number(__builtin_bit_cast(float, scalar));
    for (int row = 0; row < iterations; ++row) {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        if constexpr (operation == 0) sfpi::dst_reg[0] = x + number;
        else if constexpr (operation == 1) sfpi::dst_reg[0] = x - number;
        else sfpi::dst_reg[0] = x * number;  // a quotient comes with the reciprocal
        sfpi::dst_reg++;
    }
}
}  // namespace ckernel::sfpu
