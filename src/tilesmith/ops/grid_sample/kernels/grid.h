// The grid as kernels see it: rows of points in this core's L1, raw coordinates or prepared ones.
#pragma once
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/numeric/bfloat16.h"
#include "axis.h"

enum class GridKind : uint32_t { bf16, fp32, prepared };

// Walks a core's points: `sets` points in each row of the grid, `rows_per_image` rows for each image.
struct Walk {
    uint32_t row;  // of the whole grid
    uint32_t set;
    uint32_t image;
    uint32_t row_in_image;
    uint32_t sets;
    uint32_t rows_per_image;

    Walk(uint32_t first_row, uint32_t point, uint32_t sets, uint32_t rows_per_image)
        : row(first_row + point / sets),
          set(point % sets),
          image(row / rows_per_image),
          row_in_image(row % rows_per_image),
          sets(sets),
          rows_per_image(rows_per_image) {}

    void advance() {
        if (++set < sets) return;
        set = 0;
        ++row;
        if (++row_in_image < rows_per_image) return;
        row_in_image = 0;
        ++image;
    }
};

// Rows of this core's own shard.
class ShardRows {
public:
    ShardRows(uint32_t address, uint32_t row_stride, uint32_t first_row)
        : address_(address), stride_(row_stride), first_(first_row) {}

    void fetch(uint32_t, uint32_t) {}
    uint32_t operator[](uint32_t row) const { return address_ + (row - first_) * stride_; }

private:
    uint32_t address_, stride_, first_;
};

// Rows read ahead into a ring. The caller passes a barrier between fetching a row and using it, and is done with
// a row before fetching the one that takes its slot.
template <typename Accessor>
class FetchedRows {
public:
    FetchedRows(const Accessor& grid, uint32_t cb, uint32_t slots, uint32_t slot_bytes, uint32_t row_bytes,
                uint32_t first_row)
        : grid_(grid),
          slots_(slots),
          slot_bytes_(slot_bytes),
          row_bytes_(row_bytes),
          first_(first_row),
          next_(first_row) {
        cb_reserve_back(cb, slots);
        ring_ = get_write_ptr(cb);
    }

    void fetch(uint32_t, uint32_t end) {
        for (; next_ < end; ++next_) noc_async_read(grid_.get_noc_addr(next_), (*this)[next_], row_bytes_);
    }
    uint32_t operator[](uint32_t row) const { return ring_ + (row - first_) % slots_ * slot_bytes_; }

private:
    Accessor grid_;
    uint32_t slots_, slot_bytes_, row_bytes_, first_, next_, ring_;
};

// The rows of one batch after another, read bank by bank: every `banks`-th row of an interleaved grid follows the
// one before in its bank, so one transfer brings all that a batch needs from a bank. The caller passes a barrier
// between fetching a batch and using it, and is done with it before fetching the next.
template <typename Accessor>
class RowsByBank {
public:
    RowsByBank(const Accessor& grid, uint32_t cb, uint32_t slots, uint32_t row_stride, uint32_t banks)
        : grid_(grid), stride_(row_stride), banks_(banks) {
        cb_reserve_back(cb, slots);
        start_ = get_write_ptr(cb);
    }

    void fetch(uint32_t first, uint32_t end) {
        first_ = first;
        deep_ = (end - first + banks_ - 1) / banks_ * stride_;
        const uint32_t used = end - first < banks_ ? end - first : banks_;
        // Cores start at different banks: in step they would all ask the same one.
        uint32_t along = (first * 2654435761u >> 16) % used;
        for (uint32_t i = 0; i < used; ++i, along = along + 1 < used ? along + 1 : 0) {
            const uint32_t count = (end - first - along + banks_ - 1) / banks_;
            noc_async_read(grid_.get_noc_addr(first + along), start_ + along * deep_, count * stride_);
        }
    }
    uint32_t operator[](uint32_t row) const {
        const uint32_t along = row - first_;
        return start_ + along % banks_ * deep_ + along / banks_ * stride_;
    }

private:
    Accessor grid_;
    uint32_t stride_, banks_, start_, first_ = 0, deep_ = 0;
};

template <typename Word>
inline const volatile Word* words_at(uint32_t address) {
    return reinterpret_cast<const volatile Word*>(address);
}

// Prepared points hold pixel numbers as 16-bit integers in the places of bf16 values.
inline int32_t pixel_number(uint16_t bits) { return static_cast<int16_t>(bits); }

struct Coordinates {
    float x, y;
};

template <GridKind kind>
inline Coordinates coordinates_of(uint32_t row_address, uint32_t set) {
    if constexpr (kind == GridKind::fp32) {
        const volatile float* values = words_at<float>(row_address) + 2 * set;
        return {values[0], values[1]};
    } else {
        const volatile uint16_t* values = words_at<uint16_t>(row_address) + 2 * set;
        return {bf16_to_fp32(values[0]), bf16_to_fp32(values[1])};
    }
}

// A stick of zeros for everything outside the image.
inline uint64_t make_zero_stick(uint32_t cb, uint32_t bytes) {
    cb_reserve_back(cb, 1);
    const uint32_t address = get_write_ptr(cb);
    volatile uint32_t* words = reinterpret_cast<volatile uint32_t*>(address);
    for (uint32_t i = 0; i < bytes / sizeof(uint32_t); ++i) words[i] = 0;
    return get_noc_addr(address);
}
