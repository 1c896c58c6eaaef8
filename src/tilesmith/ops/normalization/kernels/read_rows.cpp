// Reads rows of tiles PASSES times over, with a fill where the last tile reaches past the row; in the last pass the
// tiles of a weight and of a bias come along.
// Compile time: PASSES, tensors x and, with WEIGHT and BIAS, those. Per core: first row, number of rows.
// Common: tiles in a row, columns in the last, fill, bytes per element; tensors.
#include <cstdint>

#include "../../kernels/tensor.hpp"
#include "../../kernels/tile_fill.hpp"

constexpr uint32_t cb_x = 0, cb_weight = 1, cb_bias = 2, cb_mask = 3;
constexpr uint32_t PASSES = get_compile_time_arg_val(0), X = 1, SECOND = after_tensor<X>;

inline uint32_t arg(uint32_t index) { return get_common_arg_val<uint32_t>(index); }

template <typename Tensor>
void push(const Tensor& tensor, uint32_t page, uint32_t cb) {
    cb_reserve_back(cb, 1);
    noc_async_read(tensor.get_noc_addr(page), get_write_ptr(cb), get_tile_size(cb));
    noc_async_read_barrier();
    cb_push_back(cb, 1);
}

// Ones in the columns of the last tile that belong to the row, zeros elsewhere.
inline void push_mask(uint32_t cols) {
    constexpr uint32_t one = 0x3f800000;
    cb_reserve_back(cb_mask, 1);
    tile::fill_outside<uint32_t>(get_write_ptr(cb_mask), 0, 0, one);
    tile::fill_outside<uint32_t>(get_write_ptr(cb_mask), tile::ROWS, cols, 0);
    cb_push_back(cb_mask, 1);
}

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    const uint32_t width = arg(0), cols = arg(1), fill = arg(2), bytes = arg(3);
    uint32_t common = 4;
    const auto x = tensor_at<X>(common);
#ifdef WEIGHT
    const auto weight = tensor_at<SECOND>(common);
#endif
#if defined(BIAS) && defined(WEIGHT)
    const auto bias = tensor_at<after_tensor<SECOND>>(common);
#elif defined(BIAS)
    const auto bias = tensor_at<SECOND>(common);
#endif
#ifdef UNEVEN
    push_mask(cols);
#endif
    for (uint32_t row = first; row < first + count; ++row) {
        for (uint32_t pass = 0; pass < PASSES; ++pass) {
            for (uint32_t tile = 0; tile < width; ++tile) {
                cb_reserve_back(cb_x, 1);
                noc_async_read(x.get_noc_addr(row * width + tile), get_write_ptr(cb_x), get_tile_size(cb_x));
                noc_async_read_barrier();
                if (tile == width - 1) tile::fill_outside(get_write_ptr(cb_x), tile::ROWS, cols, bytes, 0, fill);
                cb_push_back(cb_x, 1);
                if (pass < PASSES - 1) continue;
#ifdef WEIGHT
                push(weight, tile, cb_weight);
#endif
#ifdef BIAS
                push(bias, tile, cb_bias);
#endif
            }
        }
    }
}
