// Softmax of rows: three passes over a row's tiles, for the maximum, for the sum of e^(x - maximum), and for the
// quotients. Per core: number of rows. Common: tiles in a row.
#include "api/compute/binary_max_min.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "../../../isa/exact_recip.hpp"
#include "rows.hpp"

constexpr uint32_t cb_max = 24, cb_inverse = 25;
constexpr uint32_t value = 0, total = 1, column = 2;

inline void maximum(uint32_t width) {
    tile_regs_acquire();
    for (uint32_t i = 0; i < width; ++i) {
        take(cb_x, i == 0 ? total : value);
        if (i > 0) {
            binary_max_tile_init();
            binary_max_tile(value, total, total);
        }
    }
    sfpu_reduce_init<PoolType::MAX, DataFormat::Float32>();
    sfpu_reduce<PoolType::MAX, DataFormat::Float32, ReduceDim::REDUCE_ROW>(total);
    give(total, cb_max);
}

// e^(x - maximum) of the next tile.
inline void exponential(uint32_t tile) {
    take(cb_x, tile);
    look(cb_max, column);
    sfpu_bcast_col_init();
    sfpu_sub_bcast_col(tile, column);
    exp_tile_init();
    exp_tile(tile);
}

inline void inverse_sum(uint32_t width) {
    tile_regs_acquire();
    for (uint32_t i = 0; i < width; ++i) {
        exponential(i == 0 ? total : value);
        if (i > 0) {
            add_binary_tile_init();
            add_binary_tile(value, total, total);
        }
    }
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_ROW>(total);
    exact_recip_tile_init<false>(0);  // what plain recip_tile gives in 0.77 has eleven bits
    exact_recip_tile<false>(total, 0);
    give(total, cb_inverse);
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0), width = get_common_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(cb_x, cb_out);
    for (uint32_t row = 0; row < rows; ++row) {
        maximum(width);
        inverse_sum(width);
        for (uint32_t i = 0; i < width; ++i) {
            tile_regs_acquire();
            exponential(value);
            look(cb_inverse, column);
            sfpu_bcast_col_init();
            sfpu_mul_bcast_col(value, column);
            give(value, cb_out);
        }
        cb_pop_front(cb_max, 1);
        cb_pop_front(cb_inverse, 1);
    }
}
