// Reads the tiles of one, two or three operands for consecutive tiles of the output, which they may be broadcast to.
// Compile time: per operand its tensor. Per core: first tile, number of tiles.
// Common: number of dimensions; extents of the output in tiles; per operand: strides in tiles, how to spread a
// tile, bytes per element, bytes of exponents, and the tensor.
#include <cstdint>

#include "../../kernels/tensor.hpp"
#include "../../kernels/tile_fill.hpp"

constexpr uint32_t MAX_DIMS = 8;

template <typename Tensor>
struct Operand {
    uint32_t cb, strides, spread, bytes, exponents;  // `strides` is where they stand among the common arguments
    Tensor tensor;

    void request(const uint32_t* position, uint32_t dims) const {
        uint32_t page = 0;
        for (uint32_t d = 0; d < dims; ++d) page += position[d] * get_common_arg_val<uint32_t>(strides + d);
        cb_reserve_back(cb, 1);
        noc_async_read(tensor.get_noc_addr(page), get_write_ptr(cb), get_tile_size(cb));
    }
    void hand_over() const {
        if (spread) tile::spread(get_write_ptr(cb), spread, bytes, exponents);
        cb_push_back(cb, 1);
    }
};

template <uint32_t FIRST>
auto operand_at(uint32_t cb, uint32_t dims, uint32_t& common) {
    const uint32_t strides = common, facts = common + dims;
    common = facts + 3;
    const auto tensor = tensor_at<FIRST>(common);
    return Operand<decltype(tensor)>{cb,
                                     strides,
                                     get_common_arg_val<uint32_t>(facts),
                                     get_common_arg_val<uint32_t>(facts + 1),
                                     get_common_arg_val<uint32_t>(facts + 2),
                                     tensor};
}

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    const uint32_t dims = get_common_arg_val<uint32_t>(0);
    uint32_t common = 1 + dims;
    const auto a = operand_at<0>(CB_A, dims, common);
#if OPERANDS > 1
    const auto b = operand_at<after_tensor<0>>(CB_B, dims, common);
#endif
#if OPERANDS > 2
    const auto c = operand_at<after_tensor<after_tensor<0>>>(CB_C, dims, common);
#endif
    uint32_t position[MAX_DIMS] = {}, rest = first;
    for (uint32_t d = dims; d-- > 0;) {
        const uint32_t extent = get_common_arg_val<uint32_t>(1 + d);
        position[d] = rest % extent;
        rest /= extent;
    }
    for (uint32_t i = 0; i < count; ++i) {
        a.request(position, dims);
#if OPERANDS > 1
        b.request(position, dims);
#endif
#if OPERANDS > 2
        c.request(position, dims);
#endif
        noc_async_read_barrier();
        a.hand_over();
#if OPERANDS > 1
        b.hand_over();
#endif
#if OPERANDS > 2
        c.hand_over();
#endif
        for (uint32_t d = dims; d-- > 0;) {
            if (++position[d] < get_common_arg_val<uint32_t>(1 + d)) break;
            position[d] = 0;
        }
    }
}
