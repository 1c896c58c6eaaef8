"""Which files a C++ source depends on, and a digest of their content, without starting a compiler."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
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
_Asked = tuple[tuple[tuple[str, Path | None], ...], tuple[Path, ...]]
_searches: dict[_Asked, _Search] = {}
_MOST_SEARCHES = 1000
# In a folder that changed so lately another file may appear without a later time of change.
_NANOSECONDS_TO_SETTLE = 2_000_000_000


@dataclass(frozen=True)
class _Search:
    """The files found, each with its digest, and all that would look different if others were found now."""

    found: Mapping[str, str]
    seen: Mapping[str, Signature]

    def holds(self) -> bool:
        """Whether a search would find the same."""
        try:
            return all(_signature(path) == signature for path, signature in self.seen.items())
        except OSError:
            return False


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
    found = _searched(sources, include_dirs).found
    summary.update("".join(f"\0{known_as(path)}\0{digest}" for path, digest in found.items()).encode())
    return summary.hexdigest()


def reached(sources: Sequence[Text], include_dirs: Sequence[Path]) -> list[str]:
    """Every file that the sources may include, each once."""
    return list(_searched(sources, include_dirs).found)


def _searched(sources: Sequence[Text], include_dirs: Sequence[Path]) -> _Search:
    """Most kernels include what another did: to look whether that has changed takes a tenth of a search."""
    named = tuple((name, source.folder) for source in sources for name in _names(source.content.encode()))
    asked = named, tuple(include_dirs)
    known = _searches.get(asked)
    if known is not None and known.holds():
        return known
    search, settled = _search(*asked)
    if settled:
        if len(_searches) >= _MOST_SEARCHES:
            _searches.clear()
        _searches[asked] = search
    return search


def _search(named: Sequence[tuple[str, Path | None]], include_dirs: Sequence[Path]) -> tuple[_Search, bool]:
    """What the names lead to, and whether no folder that was looked into changed just now."""
    pending = list(named)
    found: dict[str, str] = {}
    folders: set[str] = set()
    while pending:
        name, folder = pending.pop()
        for candidate in _candidates(name, folder, include_dirs):
            folders.add(os.path.dirname(candidate))
            if os.path.isfile(candidate) and (path := os.path.abspath(candidate)) not in found:
                found[path], names = _file_digest(path)
                pending += [(inner, Path(path).parent) for inner in names]
    there = {folder: _signature(folder) for folder in {_existing(folder) for folder in folders}}
    latest = max((changed for changed, _, _ in there.values()), default=0)
    files = {path: _files[path][0] for path in found}
    return _Search(found, {**files, **there}), latest < time.time_ns() - _NANOSECONDS_TO_SETTLE


def _existing(folder: str) -> str:
    """The folder, or the nearest above it that there is."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder


def words_of(paths: Sequence[str]) -> frozenset[str]:
    """Every word in these files: what a macro of another file could stand for."""
    return frozenset(word for path in paths for word in _WORD.findall(Path(path).read_text("utf-8")))


def known_as(path: str) -> str:
    """Our own headers go by their place in the package: a second clone or environment shares the cache."""
    return path.removeprefix(_PACKAGE)


def _candidates(name: str, folder: Path | None, include_dirs: Sequence[Path]) -> Iterator[str]:
    for directory in (folder or os.sep, *include_dirs):  # joining ignores the folder if the name is absolute
        yield os.path.join(directory, name)


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
