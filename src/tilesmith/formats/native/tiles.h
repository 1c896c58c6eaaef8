// Row-major arrays to tiles of faces and back. Arrays are walked row by row, so that memory is read in order.
#pragma once
#include <cstdint>

namespace ts {

struct Shape {
    int64_t rows, cols;         // of the array, multiples of the tile's
    int64_t tile_rows, tile_cols;
    int64_t tile_bytes, exponent_bytes;
};

// Calls visit(element index in the array, tile index, face-row index within the tile) for each run of 16 datums.
template <class Visit>
inline void each_run(const Shape& shape, Visit visit) {
    const int64_t face_rows = shape.tile_rows < 16 ? shape.tile_rows : 16;
    const int64_t faces_across = shape.tile_cols / 16, tiles_across = shape.cols / shape.tile_cols;
    const int64_t together = face_rows >= 2 ? 2 : 1;  // two rows of a face fill one cache line of bfloat16
    for (int64_t top = 0; top < shape.rows; top += together) {
        const int64_t band = top / shape.tile_rows, in_tile = top % shape.tile_rows;
        const int64_t first = in_tile / face_rows * faces_across * face_rows + in_tile % face_rows;
        for (int64_t across = 0; across < tiles_across; across++)
            for (int64_t face = 0; face < faces_across; face++)
                for (int64_t row = 0; row < together; row++)
                    visit((top + row) * shape.cols + across * shape.tile_cols + face * 16, band * tiles_across + across,
                          first + face * face_rows + row);
    }
}

template <class To, class From, To (*convert)(From)>
inline void convert_run(const From* __restrict from, To* __restrict to) {
    for (int i = 0; i < 16; i++) to[i] = convert(from[i]);
}

template <class To, class From, To (*convert)(From)>
void to_tiles(const Shape& shape, const void* array, void* tiles) {
    const From* from = static_cast<const From*>(array);
    To* to = static_cast<To*>(tiles);
    const int64_t datums = shape.tile_rows * shape.tile_cols;
    each_run(shape, [&](int64_t element, int64_t tile, int64_t run) {
        convert_run<To, From, convert>(from + element, to + tile * datums + run * 16);
    });
}

template <class To, class From, To (*convert)(From)>
void from_tiles(const Shape& shape, const void* tiles, void* array) {
    const From* from = static_cast<const From*>(tiles);
    To* to = static_cast<To*>(array);
    const int64_t datums = shape.tile_rows * shape.tile_cols;
    each_run(shape, [&](int64_t element, int64_t tile, int64_t run) {
        convert_run<To, From, convert>(from + tile * datums + run * 16, to + element);
    });
}

template <class To, class From, To (*convert)(From)>
void elementwise(int64_t count, const void* in, void* out) {
    const From* __restrict from = static_cast<const From*>(in);
    To* __restrict to = static_cast<To*>(out);
    for (int64_t i = 0; i < count; i++) to[i] = convert(from[i]);
}

}  // namespace ts

// The functions Python calls: to tiles, from tiles, and between flat arrays.
#define TS_TILE(name, To, From, convert)                                      \
    extern "C" void name(const ts::Shape* shape, const void* in, void* out) { \
        ts::to_tiles<To, From, convert>(*shape, in, out);                     \
    }
#define TS_UNTILE(name, To, From, convert)                                    \
    extern "C" void name(const ts::Shape* shape, const void* in, void* out) { \
        ts::from_tiles<To, From, convert>(*shape, in, out);                   \
    }
#define TS_ROW(name, To, From, convert)                              \
    extern "C" void name(int64_t count, const void* in, void* out) { \
        ts::elementwise<To, From, convert>(count, in, out);          \
    }
