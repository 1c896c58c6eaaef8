// Nearest sampling: for each point one pixel's channels go straight into this core's shard of the output.
// Two copies run on a core, one on each data-movement RISC, each with its share of the core's points.
#include <cstdint>

#include "task.h"

struct Pixel {
    int32_t y, x;
};

inline Pixel pixel_of(const Axis& vertical, const Axis& horizontal, uint32_t row_address, uint32_t set) {
    if constexpr (kind == GridKind::prepared) {
        const volatile uint16_t* numbers = words_at<uint16_t>(row_address) + 2 * set;
        return {pixel_number(numbers[0]), pixel_number(numbers[1])};
    } else {
        const Coordinates at = coordinates_of<kind>(row_address, set);
        return {vertical.nearest(at.y), horizontal.nearest(at.x)};
    }
}

void kernel_main() {
    const Task task;
    if (task.begin == task.end) return;
    const uint32_t output_address = get_arg_val<uint32_t>(3);
    const Axis vertical = task.vertical(), horizontal = task.horizontal();
    const uint64_t zeros = make_zero_stick(cb_zeros, task.stick_bytes);

    with_image_and_rows<true>(task, [&](const auto& image, auto rows) {
        Walk walk = task.walk_from(task.begin);
        uint32_t destination = output_address + task.begin * task.stick_bytes;
        task.fetch(rows, task.begin);
        noc_async_read_barrier();
        for (uint32_t point = task.begin; point < task.end;) {
            const uint32_t stop = task.until(point + task.batch);
            for (; point < stop; ++point, walk.advance(), destination += task.stick_bytes) {
                const Pixel pixel = pixel_of(vertical, horizontal, rows[walk.row], walk.set);
                const bool inside = vertical.has(pixel.y) && horizontal.has(pixel.x);
                const uint32_t page = (walk.image * task.height + pixel.y) * task.width + pixel.x;
                noc_async_read(inside ? image.get_noc_addr(page) : zeros, destination, task.stick_bytes);
            }
            task.fetch(rows, stop);  // while the pixels are on their way
            noc_async_read_barrier();
        }
    });
}
