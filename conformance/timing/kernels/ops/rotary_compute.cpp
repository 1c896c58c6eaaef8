// x * cos + (x @ turn) * sin, a row of a head's tiles at a time.
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"

constexpr uint32_t in = 0, cosine = 1, sine = 2, turn = 3, turned = 24, by_cosine = 25, by_sine = 26, out = 16;
constexpr uint32_t width = get_compile_time_arg_val(0);

template <typename Op>
inline void row_of(uint32_t target, Op op) {
    tile_regs_acquire();
    for (uint32_t i = 0; i < width; ++i) op(i);
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < width; ++i) pack_tile(i, target);
    tile_regs_release();
    cb_push_back(target, width);
}

void kernel_main() {
    const uint32_t heads = get_arg_val<uint32_t>(0), rows = get_arg_val<uint32_t>(1);
    constexpr bool reload = get_compile_time_arg_val(1);
    compute_kernel_hw_startup<SrcOrder::Reverse>(in, turn, out);
    cb_wait_front(turn, 1);
    if constexpr (!reload) cb_wait_front(sine, rows * width);
    if constexpr (!reload) cb_wait_front(cosine, rows * width);
    for (uint32_t head = 0; head < heads; ++head)
        for (uint32_t row = 0; row < rows; ++row) {
            const uint32_t angle = reload ? 0 : row * width;
            cb_wait_front(in, width);
            if constexpr (reload) cb_wait_front(sine, width);
            if constexpr (reload) cb_wait_front(cosine, width);
            cb_reserve_back(turned, width);
            cb_reserve_back(by_sine, width);
            cb_reserve_back(by_cosine, width);
            cb_reserve_back(out, width);
            mm_init_short(in, turn);
            row_of(turned, [&](uint32_t i) { matmul_tiles(in, turn, i, 0, i); });
            cb_wait_front(turned, width);
            mul_tiles_init(turned, sine);
            row_of(by_sine, [&](uint32_t i) { mul_tiles(turned, sine, i, angle + i, i); });
            cb_pop_front(turned, width);
            row_of(by_cosine, [&](uint32_t i) { mul_tiles(in, cosine, i, angle + i, i); });
            cb_pop_front(in, width);
            if constexpr (reload) cb_pop_front(sine, width);
            if constexpr (reload) cb_pop_front(cosine, width);
            cb_wait_front(by_sine, width);
            cb_wait_front(by_cosine, width);
            add_tiles_init(by_cosine, by_sine);
            row_of(out, [&](uint32_t i) { add_tiles(by_cosine, by_sine, i, i, i); });
            cb_pop_front(by_sine, width);
            cb_pop_front(by_cosine, width);
        }
}
