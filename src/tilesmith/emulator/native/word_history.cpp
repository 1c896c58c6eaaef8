#include "word_history.h"

#include "arrivals.h"

namespace ts {

inline constexpr size_t changes_kept = 64;

static bool ordered_behind(const Fiber& fiber, uint32_t other, uint32_t epoch) { return fiber.clock[other] >= epoch; }

// ---- who has seen how much of it ----

static SeenUpTo& seen_by(SyncWord& word, const Fiber& fiber) {
    for (SeenUpTo& seen : word.seen)
        if (seen.fiber == fiber.id) return seen;
    word.seen.push_back({fiber.id, 0});
    return word.seen.back();
}

static size_t newest(const SyncWord& word) { return word.dropped + word.changes.size(); }

// ---- rules ----

static bool conflict(const WordChange& before, uint32_t value, bool known, Changed how) {
    if (!before.known || !known) return false;
    if (!before.stored && how == Changed::added) return false;
    return !(before.stored && how == Changed::stored && before.value == value);
}

static void check_lost(const SyncWord& word, uint32_t value, bool known, Changed how, const At& at) {
    const Fiber& me = self();
    for (size_t i = word.changes.size(); i-- > 0;) {
        const WordChange& before = word.changes[i];
        if (before.fiber == me.id || !conflict(before, value, known, how)) continue;
        if (ordered_behind(me, before.fiber, before.epoch)) continue;
        const Fiber& other = *current_run->by_id[before.fiber];
        finding("sync.lost-signal", at,
                "the word at L1 offset 0x%x is %s here and %s by %s of %s at %s, and nothing orders the two: "
                "one may undo the other",
                word.offset, how == Changed::stored ? "stored to" : "added to",
                before.stored ? "stored to" : "added to", role_name(other.role), core_name(other).c_str(),
                place(before.at).c_str());
        return;
    }
}

static void check_overshot(SyncWord& word, uint32_t value, bool known, const At& at) {
    Fiber& me = self();
    for (size_t i = 0; i < word.exact_waits.size(); ++i) {
        const ExactWait wait = word.exact_waits[i];
        if (wait.fiber == me.id || !known || value == wait.value || ordered_behind(me, wait.fiber, wait.epoch))
            continue;
        word.exact_waits.erase(word.exact_waits.begin() + static_cast<ptrdiff_t>(i--));
        current_run->current = current_run->by_id[wait.fiber];
        finding("sync.overshoot", wait.at,
                "waits until the word at L1 offset 0x%x is %u, but %s of %s at %s makes it %u, and nothing "
                "orders that behind the wait",
                word.offset, wait.value, role_name(me.role), core_name(me).c_str(), place(at).c_str(), value);
        current_run->current = &me;
    }
}

// ---- changes and waits ----

void note_change(SyncWord& word, uint32_t value, bool known, Changed how, const At& at, Behind behind) {
    if (!current_run->checks) return;
    const Fiber& me = self();
    check_lost(word, value, known, how, at);
    check_overshot(word, value, known, at);
    word.changes.push_back({value, me.id, me.clock[me.id], how == Changed::stored, known, behind, at, me.clock});
    if (me.core->find_word(word.offset) == &word) seen_by(word, me).position = static_cast<uint32_t>(newest(word) - 1);
    if (word.changes.size() <= changes_kept) return;
    word.before.join(word.changes.front().clock);
    word.changes.erase(word.changes.begin());
    ++word.dropped;
}

// Increments up to a change have arrived for whoever saw that change.
static void see_increments(const SyncWord& word, size_t end) {
    for (size_t i = 0; i < end; ++i)
        if (word.changes[i].behind.issue != 0) see(*current_run->by_id[word.changes[i].fiber], word.changes[i].behind);
}

static bool fulfils(const WordChange& change, const Wait& wait) {
    return wait.at_least ? change.value >= wait.wanted : change.value == wait.wanted;
}

void acquire_wait(SyncWord& word, const Wait& why) {
    join_time(word.sync.time(), why);
    if (!current_run->checks) return;
    Fiber& me = self();
    SeenUpTo& seen = seen_by(word, me);
    size_t last = newest(word);
    for (size_t i = seen.position > word.dropped ? seen.position - word.dropped : 0; i < word.changes.size(); ++i) {
        if (!word.changes[i].known) break;
        if (!fulfils(word.changes[i], why)) continue;
        last = word.dropped + i + 1;
        break;
    }
    me.clock.join(word.before);
    for (size_t i = word.dropped; i < last; ++i) me.clock.join(word.changes[i - word.dropped].clock);
    if (last > 0) seen.position = static_cast<uint32_t>(last - 1);
    see_signals(word);
    see_increments(word, last - word.dropped);
    if (why.at_least) return;
    for (size_t i = 0; i < word.exact_waits.size(); ++i)
        if (word.exact_waits[i].fiber == me.id)
            word.exact_waits.erase(word.exact_waits.begin() + static_cast<ptrdiff_t>(i--));
    word.exact_waits.push_back({me.id, me.clock[me.id], why.wanted, why.at});
}

uint32_t changes_of(const SyncWord& word) { return static_cast<uint32_t>(newest(word)); }

bool changed_by_others(const SyncWord& word, uint32_t since) {
    for (size_t i = since > word.dropped ? since - word.dropped : 0; i < word.changes.size(); ++i)
        if (word.changes[i].fiber != self().id) return true;
    return false;
}

void acquire_newest(SyncWord& word) {
    if (!current_run->checks || word.changes.empty()) return;
    seen_by(word, self()).position = static_cast<uint32_t>(newest(word) - 1);
    see_increments(word, word.changes.size());
}

}  // namespace ts
