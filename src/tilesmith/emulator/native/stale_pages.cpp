// Pages pushed again with what they held before. That may be meant: constants stay, and a block may be pushed whole
// though only a part of it was filled. So a page counts as stale only beside one that the same line has written anew,
// and it is followed like bytes that nothing has written: what matters is whether an element of a tensor depends on it.
#include "access.h"
#include "undefined.h"

namespace ts {

void note_pushed(CbState& cb, uint32_t from, uint32_t pages, const At& at) {
    const CbConfig& config = cb.config;
    if (config.globally_allocated || pages >= config.pages()) return;
    if (cb.slots.size() < config.pages()) cb.slots.resize(config.pages());
    for (uint32_t i = 0; i < pages; ++i) {
        const uint32_t index = ((from - config.offset) / config.page_size + i) % config.pages();
        const uint64_t offset = config.offset + uint64_t{index} * config.page_size;
        PushedPage& slot = cb.slots[index];
        const PushedPage now{writes_of(*core().shadow, offset, config.page_size), last_writer(*core().shadow, offset),
                             true};
        const bool rewritten = slot.pushed && slot.writes != now.writes, stale = slot.pushed && !rewritten;
        if (stale && cb.renewed_by && cb.renewed_by == now.writer) {
            mark_undefined(*core().shadow, offset, config.page_size);
            if (current_run->stale_push.line() == 0) current_run->stale_push = at;
        }
        cb.renewed_by = rewritten ? now.writer : 0;
        slot = now;
    }
}

}  // namespace ts
