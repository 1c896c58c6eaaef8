// Puts the pages of an output together from elements of one or more inputs, in any layouts.
// Compile time: circular buffer for lines read, circular buffer of pieces to write, bytes of a line, lines kept,
// bytes of a piece, tensor (one description for all inputs). Per core: first page of the output, number of pages.
// Common: the output's geometry (tiles?, height, width, page width, pages across), fill, number of axes, axes,
// number of sources; per source: geometry (the same and bytes of a page), offset, start, size, strides, tensor.
#include <cstdint>

#include "../../kernels/tensor.hpp"

constexpr uint32_t cb_lines = get_compile_time_arg_val(0), cb_out = get_compile_time_arg_val(1);
constexpr uint32_t LINE = get_compile_time_arg_val(2), SLOTS = get_compile_time_arg_val(3);
constexpr uint32_t PIECE = get_compile_time_arg_val(4), FIRST_TENSOR = 5;
constexpr uint32_t MAX_AXES = 8, MAX_SOURCES = 8, TILE = 32, FACE = 16, FACE_ELEMENTS = FACE * FACE;
constexpr uint32_t BYTES = sizeof(ELEMENT), NOTHING = ~0u;

inline uint32_t arg(uint32_t index) { return get_common_arg_val<uint32_t>(index); }
inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Matrices of height x width, in tiles or in rows; a row may be cut into pages.
struct Geometry {
    uint32_t tiled, height, width, page_width, across;

    explicit Geometry(uint32_t at)
        : tiled(arg(at)), height(arg(at + 1)), width(arg(at + 2)), page_width(arg(at + 3)), across(arg(at + 4)) {}
};

struct Place {
    uint32_t page, offset, run;  // offset in bytes; run: elements that follow each other from here on
};

inline Place place_of(const Geometry& g, uint32_t row, uint32_t col) {
    if (!g.tiled) {
        const uint32_t inside = col % g.page_width;
        return {row * g.across + col / g.page_width, inside * BYTES, least(g.page_width - inside, g.width - col)};
    }
    const uint32_t matrix = row / g.height, r = row % g.height;
    const uint32_t down = (g.height + TILE - 1) / TILE;
    const uint32_t face = (r / FACE % 2) * 2 + col / FACE % 2, inside = col % FACE;
    const uint32_t element = face * FACE_ELEMENTS + r % FACE * FACE + inside;
    return {(matrix * down + r / TILE) * g.across + col / TILE, element * BYTES, least(FACE - inside, g.width - col)};
}

struct Source {
    Geometry geometry;
    uint32_t page_bytes, offset, start, size, strides, tensor;

    explicit Source(uint32_t at, uint32_t axes)
        : geometry(at),
          page_bytes(arg(at + 5)),
          offset(arg(at + 6)),
          start(at + 7),
          size(at + 7 + axes),
          strides(at + 7 + 2 * axes),
          tensor(at + 7 + 3 * axes) {}
};

uint32_t held_source[SLOTS], held_page[SLOTS], held_line[SLOTS];

// The L1 address of a byte of a page; lines read before are kept until another takes their slot.
inline uint32_t fetch(const Source& source, uint32_t number, uint32_t page, uint32_t offset) {
    const uint32_t line = offset / LINE;
    const uint32_t slot = (page * ((source.page_bytes + LINE - 1) / LINE) + line) % SLOTS;
    const uint32_t address = get_write_ptr(cb_lines) + slot * LINE;
    if (held_source[slot] != number || held_page[slot] != page || held_line[slot] != line) {
        uint32_t common = source.tensor;
        const auto tensor = tensor_at<FIRST_TENSOR>(common);
        noc_async_read(tensor.get_noc_addr(page, line * LINE), address, least(LINE, source.page_bytes - line * LINE));
        noc_async_read_barrier();
        held_source[slot] = number, held_page[slot] = page, held_line[slot] = line;
    }
    return address + offset % LINE;
}

inline void put(ELEMENT* target, uint32_t address, uint32_t count) {
    const ELEMENT* from = reinterpret_cast<const ELEMENT*>(address);
    for (uint32_t i = 0; i < count; ++i) target[i] = from[i];
}

// `count` elements of a source from element `index` on, `step` apart.
inline void take(const Source& source, uint32_t number, uint32_t index, uint32_t step, uint32_t count,
                 ELEMENT* target) {
    const Geometry& g = source.geometry;
    for (uint32_t done = 0; done < count;) {
        const Place place = place_of(g, index / g.width, index % g.width);
        const uint32_t to_line_end = (LINE - place.offset % LINE) / BYTES;
        const uint32_t run = step == 1 ? least(least(place.run, to_line_end), count - done) : 1;
        put(target + done, fetch(source, number, place.page, place.offset), run);
        done += run;
        index += run * step;
    }
}

uint32_t axes, sources, source_at[MAX_SOURCES];

// Where a position lies in a source's box: the element before the last axis is counted, or NOTHING.
inline uint32_t base_in(const Source& source, const uint32_t* position) {
    uint32_t index = source.offset;
    for (uint32_t axis = 0; axis + 1 < axes; ++axis) {
        const uint32_t inside = position[axis] - arg(source.start + axis);
        if (inside >= arg(source.size + axis)) return NOTHING;
        index += inside * arg(source.strides + axis);
    }
    return index;
}

inline void put_fill(ELEMENT* target, uint32_t count, ELEMENT fill) {
    for (uint32_t i = 0; i < count; ++i) target[i] = fill;
}

// `count` elements of the output that follow each other on the last axis, from `position` on.
inline void along_last_axis(const uint32_t* position, uint32_t count, ELEMENT* target, ELEMENT fill) {
    const uint32_t last = axes - 1, col = position[last];
    bool filled = false;
    for (uint32_t number = 0; number < sources; ++number) {
        const Source source(source_at[number], axes);
        const uint32_t base = base_in(source, position);
        const uint32_t start = arg(source.start + last), step = arg(source.strides + last);
        const uint32_t from = col < start ? start : col, to = least(col + count, start + arg(source.size + last));
        if (base == NOTHING || from >= to) continue;
        if (to - from < count && !filled) put_fill(target, count, fill), filled = true;
        take(source, number, base + (from - start) * step, step, to - from, target + from - col);
        if (to - from == count) return;
    }
    if (!filled) put_fill(target, count, fill);
}

// `count` elements of the output from element `index` on.
inline void emit(uint32_t index, uint32_t count, ELEMENT* target, uint32_t first_axis, ELEMENT fill) {
    while (count > 0) {
        uint32_t position[MAX_AXES], rest = index;
        for (uint32_t axis = axes; axis-- > 0;) {
            const uint32_t extent = arg(first_axis + axis);
            position[axis] = rest % extent;
            rest /= extent;
        }
        const uint32_t run = least(count, arg(first_axis + axes - 1) - position[axes - 1]);
        along_last_axis(position, run, target, fill);
        index += run, target += run, count -= run;
    }
}

inline void emit_tile(const Geometry& g, uint32_t page, ELEMENT* target, uint32_t first_axis, ELEMENT fill) {
    const uint32_t down = (g.height + TILE - 1) / TILE;
    const uint32_t left = page % g.across * TILE, top = page / g.across % down * TILE;
    const uint32_t matrix = page / g.across / down;
    for (uint32_t face = 0; face < 4; ++face) {
        const uint32_t col = left + face % 2 * FACE;
        for (uint32_t r = 0; r < FACE; ++r, target += FACE) {
            const uint32_t row = top + face / 2 * FACE + r;
            const uint32_t valid = row < g.height && col < g.width ? least(FACE, g.width - col) : 0;
            if (valid) emit((matrix * g.height + row) * g.width + col, valid, target, first_axis, fill);
            put_fill(target + valid, FACE - valid, fill);
        }
    }
}

// Part of a row, from `col` on.
inline void emit_row(const Geometry& g, uint32_t row, uint32_t col, uint32_t count, ELEMENT* target,
                     uint32_t first_axis, ELEMENT fill) {
    const uint32_t valid = col < g.width ? least(count, g.width - col) : 0;
    if (valid) emit(row * g.width + col, valid, target, first_axis, fill);
    put_fill(target + valid, count - valid, fill);
}

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    const Geometry output(0);
    const ELEMENT fill = static_cast<ELEMENT>(arg(5));
    axes = arg(6);
    const uint32_t first_axis = 7;
    sources = arg(7 + axes);
    uint32_t common = 8 + axes;
    for (uint32_t number = 0; number < sources; ++number) {
        source_at[number] = common;
        common = Source(common, axes).tensor;
        tensor_at<FIRST_TENSOR>(common);
    }
    for (uint32_t slot = 0; slot < SLOTS; ++slot) held_source[slot] = NOTHING;
    cb_reserve_back(cb_lines, SLOTS);

    for (uint32_t page = first; page < first + count; ++page) {
        if (output.tiled) {
            cb_reserve_back(cb_out, 1);
            emit_tile(output, page, reinterpret_cast<ELEMENT*>(get_write_ptr(cb_out)), first_axis, fill);
            cb_push_back(cb_out, 1);
            continue;
        }
        const uint32_t row = page / output.across, left = page % output.across * output.page_width;
        for (uint32_t done = 0; done < output.page_width; done += PIECE / BYTES) {
            const uint32_t part = least(PIECE / BYTES, output.page_width - done);
            cb_reserve_back(cb_out, 1);
            ELEMENT* target = reinterpret_cast<ELEMENT*>(get_write_ptr(cb_out));
            emit_row(output, row, left + done, part, target, first_axis, fill);
            cb_push_back(cb_out, 1);
        }
    }
    cb_push_back(cb_lines, SLOTS);
    cb_wait_front(cb_lines, SLOTS);
    cb_pop_front(cb_lines, SLOTS);
}
