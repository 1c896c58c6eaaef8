"""Headers of the C++ library that every kernel of a processor starts with, read once for all.

They are most of what a compiler reads for a kernel: the vendor's own headers include them ahead of the
kernel's text. Only those are kept, so a header that a kernel forgot is still missing. The compiler itself
compares definitions, and reads these headers anew where one of them would matter.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

# What ttnn writes for a kernel besides its text.
_BESIDE_THE_TEXT = ("defines_generated.h", "chlkc_descriptors.h")
# What differs between two uses of one text: the numbers it gets, and its name.
OF_ONE_USE = ("-DKERNEL_COMPILE_TIME_ARG", "-DFULL_KERNEL_NAME")


@dataclass(frozen=True)
class Command:
    """How a compiler reads one source: its options, where to look and what is defined, and the source."""

    start: tuple[str, ...]
    arguments: tuple[str, ...]
    source: str
    directory: Path

    def run(self, *more: str) -> subprocess.CompletedProcess[str]:
        command = [*self.start, *more, *self.arguments, self.source]
        return subprocess.run(command, cwd=self.directory, capture_output=True, text=True, check=False)


@dataclass(frozen=True)
class CommonHeaders:
    """What was read so far, kept in `folder`."""

    folder: Path
    _kept: dict[tuple[str, ...], Path] = field(default_factory=dict)
    _lists: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def run(self, command: Command) -> subprocess.CompletedProcess[str]:
        """The command, without reading again what was read for another kernel."""
        shared = [one for one in command.arguments if not one.startswith(OF_ONE_USE)]
        key = (*command.start, *shared, command.source)
        with self._lock:
            if key not in self._lists:
                self._lists[key] = tuple(ahead_of_the_text(command))
            names = (*command.start, *self._lists[key])
            if names not in self._kept:
                self._kept[names] = self._read(command, self._lists[key])
        return command.run("-include", str(self._kept[names]))

    def _read(self, command: Command, names: Sequence[str]) -> Path:
        header = self.folder / f"common{len(self._kept)}.h"
        header.write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
        start = [one for one in command.start if one != "-fsyntax-only"]
        options = [*start, "-x", "c++-header", str(header), "-o", f"{header}.gch"]
        subprocess.run(options, cwd=self.folder, capture_output=True, check=True)
        return header


def ahead_of_the_text(command: Command) -> Iterator[str]:
    """Files outside the folders of the command, in the order they are met, until the kernel's own text."""
    looked_in = [(command.directory / one[2:]).resolve() for one in command.arguments if one.startswith("-I")]
    generated = command.directory.parent.resolve()
    # The compiler does not list what a command includes ahead of its source. Names without a folder are of
    # files that ttnn writes for each kernel.
    options = zip(command.arguments, command.arguments[1:], strict=False)
    yield from (name for option, name in options if option == "-include" and Path(name).is_absolute())
    within = 0
    for line in command.run("-H", "-E", "-o", "/dev/null").stderr.splitlines():
        dots, _, name = line.partition(" ")
        path = (command.directory / name).resolve()
        if set(dots) != {"."} or (within and len(dots) > within):
            continue
        within = 0
        if path.parent == generated and path.name not in _BESIDE_THE_TEXT:
            return
        if not any(path.is_relative_to(folder) for folder in looked_in):
            within = len(dots)
            yield str(path)
