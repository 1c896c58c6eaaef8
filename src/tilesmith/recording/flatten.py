"""A kernel's text with the files of its own that it includes put in place: it needs no folder any more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tilesmith.program import Kernel, Program, SourceType
from tilesmith.program.sources import kernel_path, kernel_text

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"(?P<name>[^"]+)"[^\n]*$', re.MULTILINE)
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once[ \t]*\n", re.MULTILINE)


def self_contained(program: Program) -> Program:
    """The same program with kernels given as text. What the vendor's installation has stays an include.

    >>> from tilesmith.program import CoreCoord, ReaderConfig
    >>> inline = Kernel("void kernel_main() {}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE)
    >>> self_contained(Program([inline])).kernels[0].kernel_source
    'void kernel_main() {}'
    """
    return Program([_as_text(kernel) for kernel in program.kernels], program.cbs, program.semaphores)


def _as_text(kernel: Kernel) -> Kernel:
    path = kernel_path(kernel)
    folders = [Path(one) for one in kernel.compiler_include_paths]
    text = flattened(kernel_text(kernel), path.parent if path is not None else None, folders)
    changed = {
        "kernel_source": text,
        "source_type": SourceType.SOURCE_CODE,
        "compiler_include_paths": (),
        "name": kernel.name or (path.stem if path is not None else ""),
    }
    return Kernel(**{**kernel.__dict__, **changed})


def flattened(text: str, folder: Path | None, others: Sequence[Path] = ()) -> str:
    """The text with quoted includes that lie in the folders replaced by what is in them, each once."""
    return _expanded(text, folder, others, set())


def _expanded(text: str, folder: Path | None, others: Sequence[Path], seen: set[Path]) -> str:
    def put_in_place(found: re.Match[str]) -> str:
        places = [base / found["name"] for base in (folder, *others) if base is not None]
        path = next((place.resolve() for place in places if place.is_file()), None)
        if path is None:
            return found[0]
        if path in seen:
            return ""
        seen.add(path)
        inner = _ONCE.sub("", path.read_text(encoding="utf-8"))
        return _expanded(inner, path.parent, others, seen).rstrip("\n")

    return _INCLUDE.sub(put_in_place, text)
