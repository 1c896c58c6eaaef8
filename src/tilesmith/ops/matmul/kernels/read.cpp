// Reads the tiles of a and b, and of a bias, for consecutive tiles of a @ b + bias. What lies past the last of the
// elements summed over is cleared, as padding may hold anything.
// Compile time: tensors a, b, and bias with BIAS. Per core: first tile of the output, number of tiles.
// Common: tiles down and across a matrix of the output, tiles summed over, elements in the last of these, number of
// batch axes; their extents, strides of a and of b in matrices; bytes per element and of exponents of a, b, bias;
// tensors.
#include <cstdint>

#include "../../kernels/tensor.hpp"
#include "../../kernels/tile_fill.hpp"

constexpr uint32_t cb_a = 0, cb_b = 1, cb_bias = 2;

inline uint32_t arg(uint32_t index) { return get_common_arg_val<uint32_t>(index); }

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    const uint32_t down = arg(0), across = arg(1), inner = arg(2), last = arg(3), batch_axes = arg(4);
    const uint32_t extents = 5, strides_a = extents + batch_axes, strides_b = strides_a + batch_axes;
    const uint32_t facts = strides_b + batch_axes;
    uint32_t common = facts + 6;
    const auto a = tensor_at<0>(common);
    const auto b = tensor_at<after_tensor<0>>(common);
#ifdef BIAS
    const auto bias = tensor_at<after_tensor<after_tensor<0>>>(common);
#endif
    for (uint32_t tile = first; tile < first + count; ++tile) {
        const uint32_t column = tile % across, row = tile / across % down;
        uint32_t rest = tile / across / down, matrix_a = 0, matrix_b = 0;
        for (uint32_t axis = batch_axes; axis-- > 0;) {
            const uint32_t at = rest % arg(extents + axis);
            rest /= arg(extents + axis);
            matrix_a += at * arg(strides_a + axis);
            matrix_b += at * arg(strides_b + axis);
        }
        for (uint32_t k = 0; k < inner; ++k) {
            cb_reserve_back(cb_a, 1);
            cb_reserve_back(cb_b, 1);
            noc_async_read(a.get_noc_addr((matrix_a * down + row) * inner + k), get_write_ptr(cb_a),
                           get_tile_size(cb_a));
            noc_async_read(b.get_noc_addr((matrix_b * inner + k) * across + column), get_write_ptr(cb_b),
                           get_tile_size(cb_b));
            noc_async_read_barrier();
            if (k == inner - 1) {
                tile::fill_outside(get_write_ptr(cb_a), tile::ROWS, last, arg(facts), arg(facts + 1), 0);
                tile::fill_outside(get_write_ptr(cb_b), last, tile::ROWS, arg(facts + 2), arg(facts + 3), 0);
            }
            cb_push_back(cb_a, 1);
            cb_push_back(cb_b, 1);
        }
#ifdef BIAS
        cb_reserve_back(cb_bias, 1);
        noc_async_read(bias.get_noc_addr(column), get_write_ptr(cb_bias), get_tile_size(cb_bias));
        noc_async_read_barrier();
        tile::spread(get_write_ptr(cb_bias), tile::DOWN, arg(facts + 4), arg(facts + 5));
        cb_push_back(cb_bias, 1);
#endif
    }
}
