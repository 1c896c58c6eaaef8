"""Which files a C++ source depends on, and a digest of their content, without starting a compiler."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_PACKAGE = Path(__file__).resolve().parent.parent

Signature = tuple[int, int, int]
_files: dict[str, tuple[Signature, str, tuple[str, ...]]] = {}  # path -> (signature, digest, includes)
_trees: dict[str, tuple[tuple[tuple[str, Signature], ...], str]] = {}


@dataclass(frozen=True)
class Text:
    """A source as the compiler will see it. `folder` is where its quoted includes are looked for first."""

    name: str
    content: str
    folder: Path | None = None


def digest_of(sources: Sequence[Text], include_dirs: Sequence[Path]) -> str:
    """One digest over the sources' texts and everything they may include.

    The package's own include trees count as a whole. Elsewhere (a kernel's folder, a user's include path,
    which may be huge) includes are followed one by one. System headers are part of the compiler's identity.
    """
    summary = hashlib.sha256()
    sealed = tuple(f"{path}{os.sep}" for path in include_dirs if path.is_relative_to(_PACKAGE))
    for directory in sealed:
        summary.update(_tree_digest(directory).encode())
    pending: list[tuple[str, Path | None]] = []
    for source in sources:
        summary.update(f"\0{source.name}\0{source.content}\0".encode())
        pending += [(name, source.folder) for name in _names(source.content.encode())]
    seen: set[str] = set()
    while pending:
        name, folder = pending.pop()
        found = _resolve(name, folder, include_dirs)
        if found is None or found in seen or found.startswith(sealed):
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


def _tree_digest(directory: str) -> str:
    """Reads every file once per process; later calls only look whether one has changed."""
    signatures = tuple(sorted(_walk(directory)))
    known = _trees.get(directory)
    if known is None or known[0] != signatures:
        summary = hashlib.sha256()
        for path, _ in signatures:
            summary.update(f"{os.path.relpath(path, directory)}\0{_file_digest(path)[0]}\0".encode())
        known = (signatures, summary.hexdigest())
        _trees[directory] = known
    return known[1]


def _walk(directory: str) -> Iterator[tuple[str, Signature]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _walk(entry.path)
            else:
                status = entry.stat()
                yield entry.path, (status.st_mtime_ns, status.st_size, status.st_ino)
