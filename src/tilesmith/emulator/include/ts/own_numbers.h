// What one kernel has for itself: compile-time arguments, and the formats of its circular buffers. The build gives them
// as KERNEL_COMPILE_TIME_ARGS, KERNEL_COMPILE_TIME_ARG_MAP and, 64 numbers each, as TS_CB_FORMATS, TS_CB_PAGE_SIZES,
// TS_CB_TILE_SIZES, TS_CB_TILE_ROWS, TS_CB_TILE_COLS, TS_CB_FACE_ROWS and TS_CB_FACES.
#pragma once
#include "api/compile_time_args.h"
#include "ts/cb_tables.h"

#ifndef KERNEL_COMPILE_TIME_ARGS
#define KERNEL_COMPILE_TIME_ARGS
#endif
#ifndef KERNEL_COMPILE_TIME_ARG_MAP
#define KERNEL_COMPILE_TIME_ARG_MAP
#endif

inline constexpr auto kernel_compile_time_args = make_array<std::uint32_t>(KERNEL_COMPILE_TIME_ARGS);

template <uint32_t Idx>
constexpr uint32_t get_ct_arg() {
    static_assert(Idx < kernel_compile_time_args.size(), "this compile-time argument was not given to the kernel");
    return kernel_compile_time_args[Idx];
}

namespace ts {
constexpr uint32_t compile_time_word(uint32_t index) { return kernel_compile_time_args[index]; }

// The first entry keeps the table from being empty.
inline constexpr NamedArgument named_arguments[] = {{"", 0}, KERNEL_COMPILE_TIME_ARG_MAP};

inline constexpr uint32_t cb_formats[64] = TS_CB_FORMATS;
inline constexpr uint32_t cb_page_sizes[64] = TS_CB_PAGE_SIZES;
inline constexpr uint32_t cb_tile_sizes[64] = TS_CB_TILE_SIZES;
inline constexpr uint32_t cb_rows[64] = TS_CB_TILE_ROWS;
inline constexpr uint32_t cb_cols[64] = TS_CB_TILE_COLS;
inline constexpr uint32_t cb_rows_of_faces[64] = TS_CB_FACE_ROWS;
inline constexpr uint32_t cb_numbers_of_faces[64] = TS_CB_FACES;

constexpr uint32_t cb_format(uint32_t cb) { return cb_formats[cb]; }
constexpr uint32_t cb_page_size(uint32_t cb) { return cb_page_sizes[cb]; }
constexpr uint32_t cb_tile_size(uint32_t cb) { return cb_tile_sizes[cb]; }
constexpr uint32_t cb_tile_rows(uint32_t cb) { return cb_rows[cb]; }
constexpr uint32_t cb_tile_cols(uint32_t cb) { return cb_cols[cb]; }
constexpr uint32_t cb_face_rows(uint32_t cb) { return cb_rows_of_faces[cb]; }
constexpr uint32_t cb_faces(uint32_t cb) { return cb_numbers_of_faces[cb]; }
}  // namespace ts

constexpr uint32_t get_named_ct_arg(ts::ArgumentName name) {
    for (const auto& argument : ts::named_arguments) {
        if (argument.name == name) return argument.value;
    }
    ts::this_named_compile_time_argument_was_not_given_to_the_kernel();
    return 0;
}
