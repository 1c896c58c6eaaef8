#include "arrivals.h"

#include "transfers.h"
#include "word_history.h"

namespace ts {

inline constexpr size_t sightings_kept = 64;  // per sender and core; a newer one stands for those before it

void note_signal(SyncWord& word, Behind behind) {
    if (!current_run->checks || behind.issue == 0) return;
    const uint32_t sender = self().id;
    for (Signal& known : word.signals) {
        if (known.sender != sender || known.behind.noc != behind.noc || known.behind.vc != behind.vc) continue;
        if (known.behind.issue < behind.issue) known.behind.issue = behind.issue;
        return;
    }
    word.signals.push_back({sender, behind});
}

static bool same_lane(Behind a, Behind b) { return a.noc == b.noc && a.vc == b.vc; }

// The seer's own clock names the moment: whatever it releases from now on carries at least this clock.
void see(Fiber& sender, Behind behind) {
    Fiber& seer = self();
    const auto slot = static_cast<uint32_t>(current_run->program->core_slot[core().index]);
    if (sender.sightings.size() <= slot) sender.sightings.resize(current_run->program->cores.size());
    auto& seen = sender.sightings[slot];
    for (size_t i = seen.size(); i-- > 0;)
        if (seen[i].seer == seer.id && same_lane(seen[i].behind, behind) && seen[i].behind.issue >= behind.issue)
            return;
    if (seen.size() >= sightings_kept) seen.erase(seen.begin());
    seen.push_back({seer.id, seer.clock[seer.id], behind});
}

void acquire_word(SyncWord& word, const Wait& why) {
    word.sync.acquire(why);
    acquire_newest(word);
    see_signals(word);
}

void see_signals(const SyncWord& word) {
    for (const Signal& signal : word.signals) see(*current_run->by_id[signal.sender], signal.behind);
}

bool known_at(const Fiber& sender, Behind behind, uint32_t core_index) {
    const int slot = current_run->program->core_slot[core_index];
    if (slot < 0 || sender.sightings.size() <= static_cast<size_t>(slot)) return false;
    const auto& mine = self().clock;
    for (const Sighting& seen : sender.sightings[static_cast<size_t>(slot)])
        if (seen.behind.issue >= behind.issue && same_lane(seen.behind, behind) && mine[seen.seer] >= seen.clock)
            return true;
    return false;
}

bool known_everywhere(const Fiber& sender, const Transfer& transfer) {
    if (sender.sightings.empty() || transfer.issue == 0) return false;
    const Behind place{transfer.issue, transfer.noc, transfer.vc};
    if (transfer.kind == Transfer::Kind::write) {
        const Target target = resolve(transfer.remote, transfer.size, transfer.at);
        return !target.dram && known_at(sender, place, target.index);
    }
    const Rectangle area = rectangle(transfer.remote);
    for (uint32_t y = area.y0; y <= area.y1; ++y)
        for (uint32_t x = area.x0; x <= area.x1; ++x) {
            const uint16_t index = current_run->machine->worker_at[x][y];
            if (index == 0xffff || (index == sender.core->index && !(transfer.flags & noc_include_self))) continue;
            if (!known_at(sender, place, index)) return false;
        }
    return true;
}

const Transfer* write_leaving(const Core& core, uint64_t offset, uint32_t size) {
    for (Fiber* fiber : core.fibers) {
        if (!fiber) continue;
        for (Transfer& transfer : fiber->transfers) {
            if (transfer.kind == Transfer::Kind::read || transfer.size == 0) continue;
            if (transfer.local >= offset + size || transfer.local + transfer.size <= offset) continue;
            if (!known_everywhere(*fiber, transfer)) return &transfer;
            if (fiber == &self()) transfer.size = 0;  // as after a flush: only its acknowledgement is outstanding
        }
    }
    return nullptr;
}

}  // namespace ts
