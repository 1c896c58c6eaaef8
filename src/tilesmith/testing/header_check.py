"""Data-movement kernels read by a host compiler, with the vendor's headers and the vendor's own command.

Nothing is declared in the headers' place: the compiler stops before it would make code, so instructions that
only RISC-V has do not matter. Compute kernels are left out: they need the built-in functions for the vector
unit that only the vendor's compiler has.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROLES = ("brisc", "ncrisc")
# The vendor's compiler knows C++17 and more: values of class type as template arguments are C++20 here.
# The headers convert between pointers and 32-bit numbers, which is no error on a 32-bit processor.
FLAGS = ("-std=c++20", "-fsyntax-only", "-fpermissive", "-w")


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
    def is_data_movement(self) -> bool:
        return "kernels" in self.directory.parts and self.directory.name in ROLES

    @property
    def source(self) -> str:
        return next(one for one in self.arguments if one.endswith(".cc"))


def calls_in(log: Path) -> list[CompilerCall]:
    """What the stand-in compiler noted."""
    notes = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [CompilerCall(Path(note["directory"]), tuple(note["arguments"])) for note in notes]


def complaints(call: CompilerCall, compiler: str) -> str:
    """What the host compiler has against a source; empty when it has nothing."""
    command = [compiler, *FLAGS, *_kept(call.arguments), call.source]
    done = subprocess.run(command, cwd=call.directory, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr


def _kept(arguments: Sequence[str]) -> Iterator[str]:
    """Where to look and what is defined; the rest is about making RISC-V code."""
    following: Iterable[str] = (*arguments[1:], "")
    for argument, after in zip(arguments, following, strict=True):
        if argument.startswith(("-I", "-D")):
            yield argument
        elif argument == "-include":
            yield from (argument, after)
