// Which NoC writes are known to have arrived, without a barrier: a signal sent behind a write on the same NoC and virtual
// channel arrives behind it. Who has seen the signal has seen the write arrive, and so has everyone told of it since.
#pragma once
#include "machine.h"

namespace ts {

// The running fiber acquires a word of its own core, and sees what was signalled through it.
void acquire_word(SyncWord& word, const Wait& why);
void see_signals(const SyncWord& word);
// The running fiber sees on its core that a transfer of another has arrived there.
void see(Fiber& sender, Behind behind);
// A transfer of the running fiber covers a word: `behind` is its place among the fiber's transfers.
void note_signal(SyncWord& word, Behind behind);
// Has the running fiber been told that the transfer has arrived, at one core, at all it goes to?
bool known_at(const Fiber& sender, Behind behind, uint32_t core);
bool known_everywhere(const Fiber& sender, const Transfer& transfer);
// A write that may still be reading these bytes of a core's L1, as far as the running fiber knows.
const Transfer* write_leaving(const Core& core, uint64_t offset, uint32_t size);

}  // namespace ts
