// Walking the shadow of a range of memory, record by record.
#pragma once
#include <cstring>
#include <type_traits>

#include "shadow.h"

namespace ts {

// Which of a granule's bytes the range covers. Only L1, with granules of four bytes, keeps bytes apart.
inline uint64_t covered(const ShadowMap& shadow, uint64_t granule, uint64_t begin, uint64_t end) {
    if (shadow.shift != 2) return 15;
    const uint64_t start = granule << 2;
    uint64_t mask = 15;
    if (begin > start) mask &= 15 << (begin - start);
    if (end < start + 4) mask &= 15 >> (start + 4 - end);
    return mask;
}

inline bool all_alike(const Shadow* records, uint64_t count) {
    return std::memcmp(records, records + 1, (count - 1) * sizeof(Shadow)) == 0;
}

template <class Apply>
void apply_to(Shadow& record, uint64_t bytes, uint64_t count, Apply& apply) {
    if constexpr (std::is_invocable_v<Apply&, Shadow&, uint64_t, uint64_t>) apply(record, bytes, count);
    else apply(record, bytes);
}

// A part of a line, by granules.
template <class Apply>
void visit_granules(ShadowMap& shadow, uint64_t from, uint64_t to, Apply& apply) {
    const uint64_t first = from >> shadow.shift, last = (to - 1) >> shadow.shift;
    Shadow* granules = shadow.granules;
    const bool whole = covered(shadow, first, from, to) == 15 && covered(shadow, last, from, to) == 15;
    if (whole && all_alike(granules + first, last - first + 1)) {
        Shadow record = granules[first];
        apply_to(record, 15, last - first + 1, apply);
        if (!(record == granules[first]))
            for (uint64_t i = first; i <= last; ++i) granules[i] = record;
        return;
    }
    for (uint64_t i = first; i <= last; ++i) apply_to(granules[i], covered(shadow, i, from, to), 1, apply);
}

// Whole lines beside each other that a walk has come through, and whether they are alike now.
struct Stretch {
    uint64_t first = 0, end = 0;
    Shadow record;
    bool alike = true, changed = false;

    void add(uint64_t line, uint64_t stop, const Shadow& now, bool is_new) {
        if (first == end) first = line, record = now;
        else alike = alike && line == end && now == record;
        changed = changed || is_new;
        end = stop;
    }
    void join(ShadowMap& shadow) const {
        if (changed && alike) shadow.join(first, end);
    }
};

// The lines of a run from this one on, up to `end`; returns where it is through.
template <class Apply>
uint64_t visit_run(ShadowMap& shadow, uint64_t line, uint64_t end, Stretch& stretch, Apply& apply) {
    const uint64_t end_run = shadow.end_of_run(line), stop = end_run < end ? end_run : end;
    const Shadow before = shadow.records[shadow.first_of_run(line)];
    Shadow record = before;
    apply_to(record, 15, stop - line, apply);
    const bool changed = !(record == before);
    if (changed) {  // untouched memory stays so
        shadow.cut(line);
        shadow.cut(stop);
        shadow.records[line] = record;
    }
    stretch.add(line, stop, record, changed);
    return stop;
}

// Calls `apply(record, bytes)` for every record of a range, or once for some equal ones beside each other; it may ask
// for their number. `evens_out` says that it leaves all records alike, so that a line covered whole needs only one again.
template <class Apply>
void visit(ShadowMap& shadow, uint64_t begin, uint64_t size, bool evens_out, Apply apply) {
    if (size == 0) return;
    constexpr uint32_t line_shift = ShadowMap::line_shift;
    const uint64_t end = begin + size;
    const uint64_t first_whole = (begin + (1u << line_shift) - 1) >> line_shift, end_whole = end >> line_shift;
    Stretch stretch;
    for (uint64_t line = begin >> line_shift; line <= (end - 1) >> line_shift;) {
        const bool whole = line >= first_whole && line < end_whole;
        if (whole && !shadow.is_split(line)) {
            line = visit_run(shadow, line, end_whole, stretch, apply);
            continue;
        }
        const uint64_t from = begin > line << line_shift ? begin : line << line_shift;
        const uint64_t to = end < (line + 1) << line_shift ? end : (line + 1) << line_shift;
        if (!shadow.is_split(line)) shadow.split_up(line);
        visit_granules(shadow, from, to, apply);
        if (whole && evens_out) {
            shadow.even_out(line);
            stretch.add(line, line + 1, shadow.records[line], true);
        }
        ++line;
    }
    stretch.join(shadow);
}

}  // namespace ts
