// Rows divided by their deviation (with CENTER: from their mean, which is subtracted), times WEIGHT, plus BIAS.
// Per core: number of rows. Common: tiles in a row, 1 / elements in a row, epsilon.
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "rows.hpp"

constexpr uint32_t cb_mean = 24, cb_scale = 25;
constexpr uint32_t value = 0, total = 1, column = 2;

inline void average() {
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(total);
    binop_with_scalar_tile_init();
    mul_unary_tile(total, get_common_arg_val<uint32_t>(1));
}

inline void join(uint32_t i) {
    if (i == 0) return;
    add_binary_tile_init();
    add_binary_tile(value, total, total);
}

#ifdef CENTER
inline void mean(uint32_t width) {
    tile_regs_acquire();
    for (uint32_t i = 0; i < width; ++i) {
        take(cb_x, i == 0 ? total : value);
        join(i);
    }
    average();
    give(total, cb_mean);
}
#endif

// The next tile, less the mean.
inline void centred(uint32_t tile) {
    take(cb_x, tile);
#ifdef CENTER
    look(cb_mean, column);
    sfpu_bcast_col_init();
    sfpu_sub_bcast_col(tile, column);
#endif
}

inline void scale(uint32_t width) {
    tile_regs_acquire();
    for (uint32_t i = 0; i < width; ++i) {
        const uint32_t tile = i == 0 ? total : value;
        centred(tile);
#ifdef UNEVEN
        if (i == width - 1) {
            look(cb_mask, column);
            mul_binary_tile_init();
            mul_binary_tile(tile, column, tile);
        }
#endif
        square_tile_init();
        square_tile(tile);
        join(i);
    }
    average();
    binop_with_scalar_tile_init();
    add_unary_tile(total, get_common_arg_val<uint32_t>(2));
    rsqrt_tile_init();
    rsqrt_tile(total);
    give(total, cb_scale);
}

inline void normalised() {
    tile_regs_acquire();
    centred(value);
    look(cb_scale, column);
    sfpu_bcast_col_init();
    sfpu_mul_bcast_col(value, column);
#ifdef WEIGHT
    take(cb_weight, column);
    sfpu_bcast_row_init();
    sfpu_mul_bcast_row(value, column);
#endif
#ifdef BIAS
    take(cb_bias, column);
    sfpu_bcast_row_init();
    sfpu_add_bcast_row(value, column);
#endif
    give(value, cb_out);
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0), width = get_common_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(cb_x, cb_out);
#ifdef UNEVEN
    cb_wait_front(cb_mask, 1);
#endif
    for (uint32_t row = 0; row < rows; ++row) {
#ifdef CENTER
        mean(width);
#endif
        scale(width);
        for (uint32_t i = 0; i < width; ++i) normalised();
#ifdef CENTER
        cb_pop_front(cb_mean, 1);
#endif
        cb_pop_front(cb_scale, 1);
    }
#ifdef UNEVEN
    cb_pop_front(cb_mask, 1);
#endif
}
