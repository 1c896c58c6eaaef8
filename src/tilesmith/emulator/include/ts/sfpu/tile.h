// Running a vector function over DST tiles: which rows it touches, how lanes are read, and how they are stored.
#pragma once
#include "llk_defs.h"
#include "ts/compute.h"
#include "ts/formats.h"
#include "ts/sfpu/instructions.h"

using namespace ckernel;

namespace ts::sfpu {
using ckernel::VectorMode;

inline constexpr bool dst_is_wide = DST_ACCUM_MODE != 0;
inline constexpr int face_elements = 256;
inline constexpr int tile_elements = 1024;
// One iteration of a vector function is four rows of eight columns, so eight of them make a face.
inline constexpr int face_iterations = 8;

TS_LANE Int load(const uint32_t* from) {
    Ints v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
TS_LANE void store(uint32_t* to, Int lanes) { __builtin_memcpy(to, &lanes.v, sizeof lanes.v); }

TS_LANE Mask even_lanes() {
    Mask even{Ints{}};
    for (int lane = 0; lane < lane_count; lane += 2) even.v[lane] = -1;
    return even;
}

// Calls `lanes_at(offset)` for every group of lanes the mode and the iteration count cover, and stores what it returns.
template <class LanesAt>
TS_NO_CHECK inline void write_lanes(uint32_t* out, VectorMode mode, int iterations, LanesAt lanes_at) {
    const uint32_t faces = mode == VectorMode::RC  ? 0b1111
                           : mode == VectorMode::R ? 0b0011
                           : mode == VectorMode::C ? 0b0101
                                                   : 1;
    // One call of `lanes_at` for all faces and both parts: it is what takes long to compile.
    for (int face = 0; face < 4; ++face) {
        if (!(faces >> face & 1)) continue;
        const int begin = face * face_elements;
        const int whole = begin + iterations / 2 * 64;
        const int end = whole + iterations % 2 * 64;
        for (int at = begin; at < end; at += lane_count) {
            const Int lanes = lanes_at(at);
            store(out + at, at < whole ? lanes : select(even_lanes(), lanes, load(out + at)));
        }
    }
}

// Older kernels pass the mode as an int.
struct ModeArgument {
    VectorMode mode;
    constexpr ModeArgument(VectorMode m) : mode(m) {}
    constexpr ModeArgument(int m) : mode(static_cast<VectorMode>(m)) {}
    constexpr operator VectorMode() const { return mode; }
};

// Vector functions belong to the math role; a few have variants that pack runs on the half of DST it holds.
enum class On : uint8_t { math, pack };

struct Call {
    const char* name;
    At at;
    VectorMode mode = VectorMode::RC;
    int iterations = face_iterations;
    On on = On::math;
};

TS_NO_CHECK inline void initialise(const char* name, At at) { ts_sfpu_init(name, at); }

namespace detail {
using Number = Real<!TS_FAST_NUMBERS>;

template <class Op, class... Ins>
TS_NO_CHECK inline void run_floats(const Call& call, Op op, uint32_t* out, const Ins*... ins) {
    const bool wide = !Number::chip || ts_dst_is_32bit();   // `fast` numbers keep float32 in a 16-bit DST
    write_lanes(out, call.mode, call.iterations, [&](int at) TS_OP {
        const Number result = op(Number::from_bits(load(ins + at))...);
        return stored_float(result, wide);
    });
}
}  // namespace detail

// DST[tile] = op(DST[tile]) on floats; `op` is generic in the number type.
template <class Op>
TS_NO_CHECK inline void map_floats(const Call& call, uint32_t tile, Op op) {
    uint32_t* d;
    if (call.on == On::pack) {
        d = ts_dst_modify_held(tile, call.at);
    } else {
        ts_sfpu_run(call.name, call.at);
        d = ts_dst_modify(tile, call.at);
    }
    if (d != nullptr) detail::run_floats(call, op, d, d);
}
template <class Op>
TS_NO_CHECK inline void map_floats(const Call& call, uint32_t a, uint32_t b, uint32_t out, Op op) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* x = ts_dst_modify(a, call.at);
    const uint32_t* y = ts_dst_modify(b, call.at);
    uint32_t* d = ts_dst_write(out, call.at);
    if (d != nullptr) detail::run_floats(call, op, d, x, y);
}
template <class Op>
TS_NO_CHECK inline void map_floats(const Call& call, uint32_t a, uint32_t b, uint32_t c, uint32_t out, Op op) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* x = ts_dst_modify(a, call.at);
    const uint32_t* y = ts_dst_modify(b, call.at);
    const uint32_t* z = ts_dst_modify(c, call.at);
    uint32_t* d = ts_dst_write(out, call.at);
    if (d != nullptr) detail::run_floats(call, op, d, x, y, z);
}

// DST[tile] = what `op` makes, without reading it; `op` gets a number only to learn its type.
template <class Op>
TS_NO_CHECK inline void fill_words(const Call& call, uint32_t tile, Op op) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_write(tile, call.at);
    if (d != nullptr) write_lanes(d, call.mode, call.iterations, op);
}
template <class Op>
TS_NO_CHECK inline void fill_floats(const Call& call, uint32_t tile, Op op) {
    fill_words(call, tile, [&](int) TS_OP { return stored_float(op(Real<true>(0.0f)), ts_dst_is_32bit()); });
}

// The same on the raw 32-bit patterns.
template <class Op>
TS_NO_CHECK inline void map_words(const Call& call, uint32_t tile, Op op) {
    ts_sfpu_run(call.name, call.at);
    uint32_t* d = ts_dst_modify(tile, call.at);
    if (d == nullptr) return;
    write_lanes(d, call.mode, call.iterations, [&](int at) TS_OP { return op(load(d + at)); });
}
template <class Op>
TS_NO_CHECK inline void map_words(const Call& call, uint32_t a, uint32_t b, uint32_t out, Op op) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* x = ts_dst_modify(a, call.at);
    const uint32_t* y = ts_dst_modify(b, call.at);
    uint32_t* d = ts_dst_write(out, call.at);
    if (d == nullptr) return;
    write_lanes(d, call.mode, call.iterations, [&](int at) TS_OP { return op(load(x + at), load(y + at)); });
}
template <class Op>
TS_NO_CHECK inline void map_words(const Call& call, uint32_t a, uint32_t b, uint32_t c, uint32_t out, Op op) {
    ts_sfpu_run(call.name, call.at);
    const uint32_t* x = ts_dst_modify(a, call.at);
    const uint32_t* y = ts_dst_modify(b, call.at);
    const uint32_t* z = ts_dst_modify(c, call.at);
    uint32_t* d = ts_dst_write(out, call.at);
    if (d == nullptr) return;
    write_lanes(d, call.mode, call.iterations,
                [&](int at) TS_OP { return op(load(x + at), load(y + at), load(z + at)); });
}
}  // namespace ts::sfpu
