// The life of an engine, from launch to the report of a deadlock.
#include "engine.h"

#include <cstdlib>
#include <cstring>

namespace ts {
namespace {

// fp32 operands become fp16 only in kernels that otherwise use formats with 5-bit exponents.
bool uses_five_bits(const CbConfig* cbs) {
    bool small = false, big = false;
    for (uint32_t i = 0; i < max_cbs; ++i) {
        const auto format = static_cast<uint8_t>(cbs[i].format);
        small |= cbs[i].used && num::has_small_exponent(format);
        big |=
            cbs[i].used && !num::has_small_exponent(format) && (num::is_block(format) || format == num::fmt::float16_b);
    }
    return small && !big;
}

void* aligned_words(size_t tiles) { return std::aligned_alloc(64, tiles * num::tile_words * sizeof(uint32_t)); }

}  // namespace

void SrcBank::reserve(uint32_t tiles) {
    if (tiles <= capacity) return;
    std::free(words);
    words = static_cast<uint32_t*>(aligned_words(tiles));
    capacity = tiles;
}

void SrcBank::unpack_batch() {
    if (!deferred) return;
    deferred = false;
    for (uint32_t i = 0; i < batch->operands.tiles(); ++i) batch->operands.unpack(i, tile(i));
}

Engine* engine_new(const ComputeConfig& config, const CbConfig* cbs) {
    Engine* engine = new Engine;
    engine->config = config;
    std::memcpy(static_cast<void*>(engine->cbs), cbs, sizeof engine->cbs);
    engine->five_bit_kernel = uses_five_bits(cbs);
    const uint32_t all = config.fp32_dest ? dst_tiles / 2 : dst_tiles;
    engine->sections = config.full_sync ? 1 : 2;
    engine->capacity = all / engine->sections;
    engine->dst = static_cast<uint32_t*>(aligned_words(dst_tiles));
    engine->mode.wide = config.fp32_dest;
    engine->mode.phases = config.fidelity == Fidelity::lofi ? 1 : static_cast<uint8_t>(config.fidelity);
    for (SrcBank& bank : engine->banks) bank.reserve(2);
    return engine;
}

void engine_free(Engine* engine) {
    engine->pending.settle();
    for (SrcBank& bank : engine->banks) {
        std::free(bank.words);
        delete bank.batch;
    }
    std::free(engine->dst);
    delete engine;
}

void engine_finish(Engine* engine, const At& at) {
    if (!checks_on()) return;
    if (engine->acquired) {
        finding("dst.unbalanced", engine->acquired_at,
                "math ends while it still holds DST: tile_regs_commit() is missing");
    }
    if (engine->held) {
        finding("dst.unbalanced", engine->held_at,
                "pack ends while it still holds DST: tile_regs_release() is missing");
    } else if (engine->committed) {
        finding("dst.unbalanced", at, "math committed DST %u more time%s than pack took it", engine->committed,
                engine->committed == 1 ? "" : "s");
    }
    for (const SrcBank& bank : engine->banks) {
        if (bank.full)
            finding("dst.unbalanced", at, "unpack delivered tiles for %s that math never used", op_name(bank.op));
    }
}

std::string engine_describe(const Engine* engine) {
    std::string text = "DST: ";
    text += engine->acquired ? "math holds a half" : "math holds none";
    text += ", " + std::to_string(engine->committed) + " of " + std::to_string(engine->sections) + " committed";
    text += engine->held ? ", pack holds one; Src banks:" : ", pack holds none; Src banks:";
    for (const SrcBank& bank : engine->banks) {
        text += bank.full ? std::string(" tiles for ") + op_name(bank.op) : std::string(" empty");
        text += &bank == engine->banks ? "," : "";
    }
    return text;
}

}  // namespace ts
