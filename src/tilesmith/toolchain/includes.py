"""Which files a C++ source depends on, and a digest of their content, without starting a compiler."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# A #define of a name in quotes or brackets counts too: it may be what `#include NAME` includes.
_INCLUDE = re.compile(
    rb'^[ \t]*#[ \t]*(?:include(?:_next)?|define[ \t]+\w+)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE
)

_WORD = re.compile(r"[A-Za-z_]\w*")

_PACKAGE = os.path.join(Path(__file__).absolute().parents[1], "")

Signature = tuple[int, int, int]
_files: dict[str, tuple[Signature, str, tuple[str, ...]]] = {}  # path -> (signature, digest, includes)


@dataclass(frozen=True)
class Text:
    """A source as the compiler will see it. `folder` is where its quoted includes are looked for first."""

    name: str
    content: str
    folder: Path | None = None


def digest_of(sources: Sequence[Text], include_dirs: Sequence[Path]) -> str:
    """One digest over the sources' texts and everything they may include.

    Includes are followed one by one, so that editing a header rebuilds only what may include it. Every file a
    name could mean counts, as which one is meant depends on macros and on the order of the search. System
    headers are part of the compiler's identity.
    """
    summary = hashlib.sha256()
    for source in sources:
        summary.update(f"\0{known_as(source.name)}\0{source.content}\0".encode())
    for found in reached(sources, include_dirs):
        summary.update(f"\0{known_as(found)}\0{_file_digest(found)[0]}".encode())
    return summary.hexdigest()


def reached(sources: Sequence[Text], include_dirs: Sequence[Path]) -> list[str]:
    """Every file that the sources may include, each once."""
    pending: list[tuple[str, Path | None]] = []
    for source in sources:
        pending += [(name, source.folder) for name in _names(source.content.encode())]
    seen: dict[str, None] = {}
    while pending:
        name, folder = pending.pop()
        for found in _meanings(name, folder, include_dirs):
            if found not in seen:
                seen[found] = None
                pending += [(inner, Path(found).parent) for inner in _file_digest(found)[1]]
    return list(seen)


def words_of(paths: Sequence[str]) -> frozenset[str]:
    """Every word in these files: what a macro of another file could stand for."""
    return frozenset(word for path in paths for word in _WORD.findall(Path(path).read_text("utf-8")))


def known_as(path: str) -> str:
    """Our own headers go by their place in the package: a second clone or environment shares the cache."""
    return path.removeprefix(_PACKAGE)


def _meanings(name: str, folder: Path | None, include_dirs: Sequence[Path]) -> Iterator[str]:
    for directory in (folder or os.sep, *include_dirs):  # joining ignores the folder if the name is absolute
        candidate = os.path.join(directory, name)
        if os.path.isfile(candidate):
            yield os.path.abspath(candidate)


def _names(content: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(quoted or angled) for quoted, angled in _INCLUDE.findall(content))


def _signature(path: str) -> Signature:
    status = os.stat(path)
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _file_digest(path: str) -> tuple[str, tuple[str, ...]]:
    signature = _signature(path)
    known = _files.get(path)
    if known is None or known[0] != signature:
        content = Path(path).read_bytes()
        known = (signature, hashlib.sha256(content).hexdigest(), _names(content))
        _files[path] = known
    return known[1], known[2]
