// What a word that fibers signal each other with has been through: a wait is over at the first change that fulfils it,
// so it is ordered behind that change and those before it, and behind nothing later, whatever has happened since.
#pragma once
#include "machine.h"

namespace ts {

// The running fiber has changed a word. A store loses what others add meanwhile; `known`: the value is known already.
enum class Changed : uint8_t { stored, added };
void note_change(SyncWord& word, uint32_t value, bool known, Changed how, const At& at, Behind behind = {});
// It has waited for a word of its own core, and the word fulfils the wait.
void acquire_wait(SyncWord& word, const Wait& why);
// How often the word has been changed, and whether another fiber has done so since.
uint32_t changes_of(const SyncWord& word);
bool changed_by_others(const SyncWord& word, uint32_t since);
// It has looked at the word as it is now.
void acquire_newest(SyncWord& word);

}  // namespace ts
