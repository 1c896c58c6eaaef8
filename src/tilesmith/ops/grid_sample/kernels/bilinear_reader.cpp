// Bilinear sampling, the reading part: the four pixels around each point, and the share of each.
// With two readers on a core they take turns, batch by batch.
#include <cstdint>

#include "task.h"

// In the image's format. Where the matrix unit would cut float32 down to bf16, they are rounded before.
enum class ShareFormat : uint32_t { bf16, bf16_in_fp32, fp32 };

constexpr uint32_t cb_corners = get_compile_time_arg_val(more_compile_time_args);
constexpr uint32_t cb_shares = get_compile_time_arg_val(more_compile_time_args + 1);
constexpr ShareFormat share_format = static_cast<ShareFormat>(get_compile_time_arg_val(more_compile_time_args + 2));
constexpr uint32_t reader = get_compile_time_arg_val(more_compile_time_args + 3);
constexpr uint32_t readers = get_compile_time_arg_val(more_compile_time_args + 4);
constexpr uint32_t shares_per_page = 32;

// The pixels at (y, x), (y, x + 1), (y + 1, x), (y + 1, x + 1), and their shares.
struct Corners {
    int32_t y, x;
    float shares[4];
};

inline Corners corners_of(const Axis& vertical, const Axis& horizontal, uint32_t row_address, uint32_t set) {
    if constexpr (kind == GridKind::prepared) {
        const volatile uint16_t* values = words_at<uint16_t>(row_address) + 6 * set;
        return {pixel_number(values[0]),
                pixel_number(values[1]),
                {bf16_to_fp32(values[2]), bf16_to_fp32(values[3]), bf16_to_fp32(values[4]), bf16_to_fp32(values[5])}};
    } else {
        const Coordinates at = coordinates_of<kind>(row_address, set);
        const Neighbours down = vertical.neighbours(at.y), across = horizontal.neighbours(at.x);
        const float top = 1.0f - down.second_share, left = 1.0f - across.second_share;
        return {
            down.first,
            across.first,
            {top * left, top * across.second_share, down.second_share * left, down.second_share * across.second_share}};
    }
}

inline void write_shares(uint32_t address, const float (&shares)[4]) {
    volatile uint32_t* words = reinterpret_cast<volatile uint32_t*>(address);
    if constexpr (share_format != ShareFormat::bf16) {
        constexpr bool round = share_format == ShareFormat::bf16_in_fp32;
        for (uint32_t i = 0; i < 4; ++i) {
            const float share = round ? bf16_to_fp32(fp32_to_bf16(shares[i])) : shares[i];
            words[i] = __builtin_bit_cast(uint32_t, share);
        }
    } else {
        for (uint32_t i = 0; i < 2; ++i)
            words[i] = fp32_to_bf16(shares[2 * i]) | static_cast<uint32_t>(fp32_to_bf16(shares[2 * i + 1])) << 16;
    }
}

// The matrix unit multiplies sixteen rows by sixteen shares: all but the first four stay zero.
inline void clear_shares(uint32_t pages, uint32_t page_bytes) {
    cb_reserve_back(cb_shares, pages);
    volatile uint32_t* words = reinterpret_cast<volatile uint32_t*>(get_write_ptr(cb_shares));
    for (uint32_t i = 0; i < pages * page_bytes / sizeof(uint32_t); ++i) words[i] = 0;
}

void kernel_main() {
    const Task task;
    const uint32_t share_pages = get_arg_val<uint32_t>(3);
    const uint32_t first_point = task.begin + reader * task.batch;
    if (first_point >= task.end) return;
    constexpr uint32_t share_bytes =
        shares_per_page * (share_format == ShareFormat::bf16 ? sizeof(uint16_t) : sizeof(float));
    const Axis vertical = task.vertical(), horizontal = task.horizontal();
    const uint64_t zeros = make_zero_stick(cb_zeros, task.stick_bytes);
    clear_shares(share_pages, share_bytes);

    with_image_and_rows<false>(task, [&](const auto& image, auto rows) {
        task.fetch(rows, first_point);
        noc_async_read_barrier();
        for (uint32_t point = first_point; point < task.end; point += readers * task.batch) {
            const uint32_t count = task.until(point + task.batch) - point;
            cb_reserve_back(cb_corners, count);
            cb_reserve_back(cb_shares, count);
            uint32_t destination = get_write_ptr(cb_corners), shares = get_write_ptr(cb_shares);
            Walk walk = task.walk_from(point);
            for (uint32_t i = 0; i < count; ++i, walk.advance(), shares += share_bytes) {
                const Corners at = corners_of(vertical, horizontal, rows[walk.row], walk.set);
                for (uint32_t corner = 0; corner < 4; ++corner, destination += task.stick_bytes) {
                    const int32_t y = at.y + (corner >> 1), x = at.x + (corner & 1);
                    const bool inside = vertical.has(y) && horizontal.has(x);
                    const uint32_t page = (walk.image * task.height + y) * task.width + x;
                    noc_async_read(inside ? image.get_noc_addr(page) : zeros, destination, task.stick_bytes);
                }
                write_shares(shares, at.shares);
            }
            task.fetch(rows, point + readers * task.batch);
            noc_async_read_barrier();
            cb_push_back(cb_corners, count);
            cb_push_back(cb_shares, count);
        }
    });
}
