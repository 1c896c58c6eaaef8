// Set-up: what each register and engine is configured for, and whether an operation finds what it needs.
#include <cstring>

#include "undefined.h"

namespace ts {
namespace {

// Two set-ups are the same to an engine if they agree in what it looks at.
uint32_t unpack_key(FpuOp op, FpuVariant v) {
    auto key = [&](FpuOp kind, uint32_t detail) { return static_cast<uint32_t>(kind) << 8 | detail; };
    switch (op) {
        case FpuOp::add:
        case FpuOp::sub:
        case FpuOp::mul: return key(FpuOp::add, static_cast<uint32_t>(v.dim));
        case FpuOp::add_reuse:
        case FpuOp::sub_reuse:
        case FpuOp::mul_reuse: return key(FpuOp::add_reuse, static_cast<uint32_t>(v.reuse));
        case FpuOp::unary_bcast: return key(op, static_cast<uint32_t>(v.dim));
        case FpuOp::matmul:
        case FpuOp::tilize: return key(op, v.width & 255);
        case FpuOp::reduce: return key(op, static_cast<uint32_t>(v.dim) << 1 | (v.pool == FpuPool::max));
        default: return key(op, 0);
    }
}

uint32_t math_key(FpuOp op, FpuVariant v) {
    const uint32_t pooled = static_cast<uint32_t>(v.dim) << 1 | (v.pool == FpuPool::max);
    switch (op) {
        case FpuOp::copy:
        case FpuOp::transpose:
        case FpuOp::tilize:
        case FpuOp::untilize: return static_cast<uint32_t>(FpuOp::copy) << 8;
        case FpuOp::reduce:
        case FpuOp::tilize_reduce: return static_cast<uint32_t>(FpuOp::reduce) << 8 | pooled;
        case FpuOp::matmul: return static_cast<uint32_t>(op) << 8 | (v.width & 255);
        default:
            return static_cast<uint32_t>(op) << 8 | static_cast<uint32_t>(v.dim) << 2 | static_cast<uint32_t>(v.reuse);
    }
}

bool same_layout(const CbConfig& a, const CbConfig& b) {
    return a.format == b.format && a.tile.face_rows == b.tile.face_rows && a.tile.faces == b.tile.faces;
}

const char* format_name(Format format) {
    switch (format) {
        case Format::float32: return "Float32";
        case Format::float16: return "Float16";
        case Format::float16_b: return "Float16_b";
        case Format::tf32: return "Tf32";
        case Format::bfp8_b: return "Bfp8_b";
        case Format::bfp4_b: return "Bfp4_b";
        case Format::bfp2_b: return "Bfp2_b";
        case Format::int32: return "Int32";
        case Format::uint32: return "UInt32";
        case Format::uint16: return "UInt16";
        case Format::int8: return "Int8";
        case Format::uint8: return "UInt8";
        default: return "another format";
    }
}

void report_format(Engine& engine, const char* what, uint32_t configured, uint32_t cb, const char* remedy,
                   const At& at) {
    const CbConfig &want = engine.cbs[cb], &have = engine.cbs[configured];
    finding("setup.format", at,
            "CB %u (%s, %ux%u tiles) is used while the %s is configured for CB %u (%s, %ux%u tiles); call %s first", cb,
            format_name(want.format), want.tile.rows, want.tile.cols, what, configured, format_name(have.format),
            have.tile.rows, have.tile.cols, remedy);
}

}  // namespace

const char* op_name(FpuOp op) {
    static constexpr const char* names[] = {
        "nothing",        "copy_tile",   "transpose_tile",       "unary_bcast",          "add_tiles",
        "sub_tiles",      "mul_tiles",   "add_reuse_dest_tiles", "sub_reuse_dest_tiles", "mul_reuse_dest_tiles",
        "matmul",         "reduce_tile", "tilize_block",         "tilizeA_B_reduce",     "untilize_block",
        "transpose_dest",
    };
    return names[static_cast<uint32_t>(op)];
}

num::Geometry shape_of(const CbConfig& cb) {
    num::Geometry shape;
    shape.face_rows = cb.tile.face_rows;
    shape.faces = cb.tile.faces;
    shape.faces_across = cb.tile.cols > 16 ? 2 : 1;
    return shape;
}

num::Src src_kind(const Engine& engine, uint32_t cb, bool can_bypass_src) {
    switch (engine.cbs[cb].format) {
        case Format::float32:
        case Format::tf32:
            if (can_bypass_src && engine.config.unpack_to_dest_fp32[cb] && engine.mode.wide) return num::Src::raw;
            if (engine.five_bit_kernel) return num::Src::five_bit;
            return engine.mode.wide ? num::Src::tf32 : num::Src::bf16;
        case Format::float16:
        case Format::bfp8:
        case Format::bfp4:
        case Format::bfp2:
        case Format::lf8:
        case Format::fp8_e4m3: return num::Src::five_bit;
        case Format::int32:
        case Format::uint32:
        case Format::uint16:
        case Format::int8:
        case Format::uint8: return num::Src::integer;
        default: return num::Src::bf16;
    }
}

const CbConfig& used_cb(Engine& engine, uint32_t cb, const At& at) {
    if (cb >= max_cbs || !engine.cbs[cb].used)
        fatal("cb.not-configured", at, "CB %u is not configured on this core", cb);
    return engine.cbs[cb];
}

// Each engine is set up by its own role. Returns whether the operation finds what it needs.
bool check_init(Engine& engine, FpuOp op, FpuVariant variant, const At& at) {
    if (!checks_on()) return true;
    const Engine::Setup& setup = engine.mine();
    const bool unpacks = on(Role::unpack);
    const FpuOp last = unpacks ? setup.unpack_op : setup.math_op;
    const bool fits = unpacks ? unpack_key(last, setup.unpack_variant) == unpack_key(op, variant)
                              : math_key(last, setup.math_variant) == math_key(op, variant);
    if (fits) return true;
    const char* who = unpacks ? "unpack" : "math";
    if (last == FpuOp::none) {
        finding("setup.no-init", at, "%s runs without its init: nothing has set up %s", op_name(op), who);
    } else {
        finding("setup.wrong-init", at, "%s runs while %s is still set up for %s%s", op_name(op), who, op_name(last),
                last == op ? " of another kind" : "");
    }
    return false;
}

void check_operand(Engine& engine, SrcRegister which, uint32_t cb, const At& at) {
    const CbConfig& config = used_cb(engine, cb, at);
    if (!checks_on()) return;
    const Engine::Setup& setup = engine.mine();
    const uint32_t configured = which == srca ? setup.srca_cb : setup.srcb_cb;
    if (configured == no_cb) {
        finding("setup.no-init", at, "CB %u is unpacked before any set-up: compute_kernel_hw_startup() is missing", cb);
    } else if (!same_layout(engine.cbs[configured], config)) {
        report_format(engine, which == srca ? "SrcA unpacker" : "SrcB unpacker", configured, cb,
                      which == srca ? "reconfig_data_format_srca()" : "reconfig_data_format_srcb()", at);
    }
}

void check_output(Engine& engine, uint32_t cb, const At& at) {
    const CbConfig& config = used_cb(engine, cb, at);
    if (!checks_on()) return;
    const uint32_t configured = engine.mine().out_cb;
    if (configured == no_cb) {
        finding("setup.no-init", at, "CB %u is packed before any set-up: compute_kernel_hw_startup() is missing", cb);
    } else if (!same_layout(engine.cbs[configured], config)) {
        report_format(engine, "packer", configured, cb, "pack_reconfig_data_format()", at);
    }
}

void check_page(const Engine& engine, uint32_t cb, uint32_t tile_bytes, const At& at) {
    const CbConfig& config = engine.cbs[cb];
    if (!checks_on() || config.page_size >= tile_bytes) return;
    finding("cb.format", at, "CB %u has pages of %u bytes, but a %ux%u tile of its format %s takes %u", cb,
            config.page_size, config.tile.rows, config.tile.cols, format_name(config.format), tile_bytes);
}

extern "C" void ts_engine_start(uint32_t srca_cb, uint32_t srcb_cb, uint32_t out_cb, bool blackhole, At at) {
    Engine& e = *engine();
    e.fast = fast_numbers();
    e.blackhole = e.mode.blackhole = blackhole;
    for (uint32_t cb : {srca_cb, srcb_cb, out_cb}) used_cb(e, cb, at);
    Engine::Setup& setup = e.mine();
    setup.srca_cb = srca_cb;
    setup.srcb_cb = srcb_cb;
    setup.out_cb = out_cb;
    if (on(Role::math)) e.mode.keeps_small = false;
}

extern "C" void ts_copies_keep_small() {
    if (on(Role::math)) engine()->mode.keeps_small = true;
}

// Changing a format changes only that: the rest of the engines' registers comes from the start-up call.
static void check_started(const Engine::Setup& setup, const At& at) {
    if (checks_on() && setup.out_cb == no_cb && setup.srca_cb == no_cb)
        finding("setup.no-init", at, "a format is changed before any set-up: compute_kernel_hw_startup() is missing");
}

extern "C" void ts_engine_reconfigure(uint32_t registers, uint32_t srca_cb, uint32_t srcb_cb, At at) {
    Engine& e = *engine();
    Engine::Setup& setup = e.mine();
    check_started(setup, at);
    if (registers & srca) used_cb(e, setup.srca_cb = srca_cb, at);
    if (registers & srcb) used_cb(e, setup.srcb_cb = srcb_cb, at);
    if (on(Role::math)) e.mode.keeps_small = false;
}

extern "C" void ts_engine_reconfigure_pack(uint32_t out_cb, At at) {
    check_started(engine()->mine(), at);
    used_cb(*engine(), engine()->mine().out_cb = out_cb, at);
}

extern "C" void ts_fpu_init(FpuOp op, FpuVariant variant, At) {
    Engine& e = *engine();
    e.fast = fast_numbers();
    Engine::Setup& setup = e.mine();
    if (!variant.leaves_unpack) {
        setup.unpack_op = op;
        setup.unpack_variant = variant;
    }
    if (!variant.leaves_math) {
        setup.math_op = op;
        setup.math_variant = variant;
    }
}

extern "C" uint32_t ts_fpu_width() { return engine()->mine().math_variant.width; }

extern "C" void ts_sfpu_init(const char* function, At) {
    if (role() == Role::math) engine()->sfpu = function;
}

extern "C" void ts_sfpu_run(const char* function, At at) {
    if (role() != Role::math) return;
    Engine& e = *engine();
    // "family:function" where several functions share one init.
    const char* colon = std::strchr(function, ':');
    const char* own = colon ? colon + 1 : function;
    const size_t family = colon ? static_cast<size_t>(colon - function) : std::strlen(function);
    if (checks_on()) {
        if (!e.sfpu) finding("setup.no-init", at, "%s runs on the vector unit without its init", own);
        else if (std::strncmp(e.sfpu, function, family) != 0 || e.sfpu[family] != 0)
            finding("setup.wrong-init", at, "%s runs while the vector unit is set up for %s", own, e.sfpu);
    }
    sfpu_begins(e, own);
    spend(sfpu_cost(e, own), Work::sfpu);
}

extern "C" void ts_sfpu_own_begin(At) {
    if (role() == Role::math) sfpu_begins(*engine(), "a function in SFPI");
}

extern "C" void ts_sfpu_own_end(uint32_t cycles) {
    if (role() == Role::math) spend(cycles, Work::sfpu);
}

}  // namespace ts
