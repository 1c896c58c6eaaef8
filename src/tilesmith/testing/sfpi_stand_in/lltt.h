// Stands in for the header of the same name that comes with the vendor's compiler: declarations only.
#pragma once

#include <cstdint>

namespace lltt {

enum ExecBool : bool { NoExec, Exec };

template <ExecBool = NoExec>
void record(unsigned start, unsigned length);

void replay(unsigned start, unsigned length);

constexpr std::uint32_t replay_insn(unsigned start, unsigned length) { return start + length + 1; }

}  // namespace lltt
