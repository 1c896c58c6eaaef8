// What the kernels that read points are told, in the order in which tasks.py says it.
#pragma once
#include <cstdint>

#include "../../kernels/tensor.hpp"
#include "axis.h"
#include "grid.h"

constexpr GridKind kind = static_cast<GridKind>(get_compile_time_arg_val(0));
constexpr bool grid_is_local = get_compile_time_arg_val(1) != 0;
constexpr uint32_t cb_grid = get_compile_time_arg_val(2);
constexpr uint32_t cb_zeros = get_compile_time_arg_val(3);
constexpr uint32_t image_args = 4;
constexpr uint32_t grid_args = after_tensor<image_args>;
constexpr uint32_t more_compile_time_args = after_tensor<grid_args>;

struct Task {
    uint32_t height = get_common_arg_val<uint32_t>(0);
    uint32_t width = get_common_arg_val<uint32_t>(1);
    uint32_t rows_per_image = get_common_arg_val<uint32_t>(2);
    uint32_t sets = get_common_arg_val<uint32_t>(3);
    bool align_corners = get_common_arg_val<uint32_t>(4) != 0;
    Padding padding = static_cast<Padding>(get_common_arg_val<uint32_t>(5));
    uint32_t stick_bytes = get_common_arg_val<uint32_t>(6);
    uint32_t batch = get_common_arg_val<uint32_t>(7);
    uint32_t row_bytes = get_common_arg_val<uint32_t>(8);
    uint32_t row_stride = get_common_arg_val<uint32_t>(9);
    uint32_t row_slots = get_common_arg_val<uint32_t>(10);
    uint32_t row_banks = get_common_arg_val<uint32_t>(11);
    static constexpr uint32_t tensors = 12;  // where their arguments start
    // Of this core.
    uint32_t first_row = get_arg_val<uint32_t>(0);
    uint32_t begin = get_arg_val<uint32_t>(1);
    uint32_t end = get_arg_val<uint32_t>(2);

    Axis vertical() const { return Axis(height, align_corners, padding); }
    Axis horizontal() const { return Axis(width, align_corners, padding); }
    Walk walk_from(uint32_t point) const { return Walk(first_row, point, sets, rows_per_image); }
    uint32_t until(uint32_t point) const { return point < end ? point : end; }
    // Fetches the rows with the batch of points that starts at `point`.
    template <typename Rows>
    void fetch(Rows& rows, uint32_t point) const {
        if (point < end) rows.fetch(first_row + point / sets, first_row + (until(point + batch) - 1) / sets + 1);
    }
};

// Calls `body` with the image and with the rows of the grid, wherever they are. Rows come by bank where batches
// are large, and one by one where they are smaller than a round of the banks or two.
template <bool by_bank, typename Body>
inline void with_image_and_rows(const Task& task, Body body) {
    uint32_t common = Task::tensors;
    const auto image = tensor_at<image_args>(common);
    const auto grid = tensor_at<grid_args>(common);
    if constexpr (grid_is_local) {
        body(image, ShardRows(grid.get_bank_base_address(), task.row_stride, task.first_row));
    } else if constexpr (by_bank) {
        body(image, RowsByBank(grid, cb_grid, task.row_slots, task.row_stride, task.row_banks));
    } else {
        const uint32_t first = task.first_row + task.begin / task.sets;
        body(image, FetchedRows(grid, cb_grid, task.row_slots, task.row_stride, task.row_bytes, first));
    }
}
