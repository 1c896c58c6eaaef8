"""Which files a C++ source depends on, and a digest of their content, without starting a compiler."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)

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

    Includes are followed one by one, so that editing a header rebuilds only what may include it. System
    headers are part of the compiler's identity.
    """
    summary = hashlib.sha256()
    pending: list[tuple[str, Path | None]] = []
    for source in sources:
        summary.update(f"\0{source.name}\0{source.content}\0".encode())
        pending += [(name, source.folder) for name in _names(source.content.encode())]
    seen: set[str] = set()
    while pending:
        name, folder = pending.pop()
        found = _resolve(name, folder, include_dirs)
        if found is None or found in seen:
            continue
        seen.add(found)
        digest, names = _file_digest(found)
        summary.update(f"\0{found}\0{digest}".encode())
        pending += [(inner, Path(found).parent) for inner in names]
    return summary.hexdigest()


def _resolve(name: str, folder: Path | None, include_dirs: Sequence[Path]) -> str | None:
    for directory in (folder or os.sep, *include_dirs):  # joining ignores the folder if the name is absolute
        candidate = os.path.join(directory, name)
        if os.path.isfile(candidate):
            return os.path.abspath(candidate)
    return None


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
