"""Kernels read by a host compiler, with the vendor's headers and the vendor's own command.

The compiler stops before it would make code, so instructions that only RISC-V has do not matter. For the two
data-movement processors nothing is declared in the headers' place. For the three compute processors two
headers that come with the vendor's compiler, and not with its wheel, are: `sfpi.h` and `lltt.h`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tilesmith.testing.common_headers import OF_ONE_USE, Command, CommonHeaders

# Reader, writer, and the compute kernel as unpack, math and pack.
ROLES = ("ncrisc", "brisc", "trisc0", "trisc1", "trisc2")
COMPUTE_ROLES = ROLES[2:]
# The vendor's compiler knows C++17 and more: values of class type as template arguments are C++20 here.
# The headers convert between pointers and 32-bit numbers, which is no error on a 32-bit processor.
FLAGS = ("-std=c++20", "-fsyntax-only", "-fpermissive", "-w")
# What older host compilers refuse in the vendor's headers: before GCC 13 an assertion in a branch of a
# template that is not taken, and a number of turns that is a parameter of a template.
_LIMITS = ("static assertion failed: INSTRUCTION_MODE must be one of", "#pragma GCC unroll")
# Formats and sizes of circular buffers: they too differ between two uses of one text.
_DESCRIPTORS = "chlkc_descriptors.h"
STAND_IN = Path(__file__).with_name("sfpi_stand_in")


@dataclass(frozen=True)
class CompilerCall:
    """One call of the compiler as ttnn made it."""

    directory: Path
    arguments: tuple[str, ...]

    @property
    def kernel(self) -> str:
        """Its name and processor, from the directory: .../kernels/NAME/HASH/ROLE."""
        *_, name, _, role = self.directory.parts
        return f"{name} on {role}"

    @property
    def role(self) -> str:
        """The processor of a kernel; empty for firmware."""
        return self.directory.name if "kernels" in self.directory.parts else ""

    @property
    def source(self) -> str:
        return next(one for one in self.arguments if one.endswith(".cc"))


def distinct(calls: Iterable[CompilerCall]) -> list[CompilerCall]:
    """One call for each text, processor and set of definitions; other arguments of a kernel are left out."""
    chosen: dict[tuple[object, ...], CompilerCall] = {}
    for call in calls:
        defined = {one for one in call.arguments if one.startswith("-D") and not one.startswith(OF_ONE_USE)}
        chosen.setdefault((call.role, _generated(call.directory.parent), frozenset(defined)), call)
    return list(chosen.values())


def _generated(folder: Path) -> tuple[str, ...]:
    """What ttnn wrote for a kernel: its text or where that is, and its definitions."""
    files = sorted(one for one in folder.iterdir() if one.is_file() and one.name != _DESCRIPTORS)
    return tuple(one.read_text(encoding="utf-8") for one in files)


def calls_in(log: Path) -> list[CompilerCall]:
    """What the stand-in compiler noted, each call once."""
    notes = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    calls = [CompilerCall(Path(note["directory"]), tuple(note["arguments"])) for note in notes]
    return list(dict.fromkeys(calls))


def complaints(call: CompilerCall, compiler: str, common: CommonHeaders | None = None) -> str:
    """What the host compiler has against a source; empty when it has nothing.

    With `common` it does not read again the headers it read for another kernel.
    """
    stand_in = [f"-I{STAND_IN}"] if call.role in COMPUTE_ROLES else []
    arguments = (*stand_in, *_kept(call.arguments))
    command = Command((compiler, *FLAGS), arguments, call.source, call.directory)
    done = common.run(command) if common else command.run()
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    if done.returncode == 0 or (errors and all(any(one in line for one in _LIMITS) for line in errors)):
        return ""
    return done.stderr


def all_complaints(calls: Sequence[CompilerCall], compiler: str) -> Mapping[str, str]:
    """Every kernel with something against it, by its name, processor and number."""
    with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        common = CommonHeaders(Path(folder))
        found = pool.map(lambda call: complaints(call, compiler, common), calls)
        pairs = enumerate(zip(calls, found, strict=True))
        return {f"{call.kernel}, {number}": text for number, (call, text) in pairs if text}


def _kept(arguments: Sequence[str]) -> Iterator[str]:
    """Where to look and what is defined; the rest is about making RISC-V code."""
    following: Iterable[str] = (*arguments[1:], "")
    for argument, after in zip(arguments, following, strict=True):
        if argument.startswith(("-I", "-D")):
            yield argument
        elif argument == "-include":
            yield from (argument, after)
