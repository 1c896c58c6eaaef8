// What a core moves in a collective: runs of pages, each from somewhere in one tensor to somewhere in another.
#pragma once
#include "api/dataflow/dataflow_api.h"

// Pages `first` to `first + pages` of a message. Page i lies `i / run` strides and `i % run` pages behind the base.
struct Run {
    uint32_t base, run, stride, offset;
    uint32_t page(uint32_t i) const { return base + i / run * stride + i % run; }
};

// How far a message goes each way: nowhere if the range is 0. `start` is the first chip that keeps it.
struct Reach {
    uint8_t start, range;
};

struct Message {
    uint32_t first, pages;
    Run from, to;
    bool here;  // this chip keeps it, too
    Reach forward, backward;
};

inline constexpr uint32_t words_of_message = 15, sent_cb = 0;

inline Message message(uint32_t argument) {
    const auto word = [&](uint32_t i) { return get_arg_val<uint32_t>(argument + i); };
    const auto run = [&](uint32_t i) { return Run{word(i), word(i + 1), word(i + 2), word(i + 3)}; };
    const auto reach = [&](uint32_t i) {
        return Reach{static_cast<uint8_t>(word(i)), static_cast<uint8_t>(word(i + 1))};
    };
    return {word(0), word(1), run(2), run(6), word(10) != 0, reach(11), reach(13)};
}

inline volatile tt_l1_ptr uint32_t* word_at(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}
