"""A content-addressed cache of build results that no crash, full disk or race can spoil.

An entry is one file, `<key>.<checksum of its content><suffix>`, put in place by an atomic rename. A file
whose content does not match its own name is not an entry: it is removed and built again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tilesmith.errors import CacheError
from tilesmith.toolchain import fallback
from tilesmith.toolchain.locks import locked

Build = Callable[[Path], None]

_PROBE_BYTES = 16 << 20  # about the size of the largest file we build
_verified: dict[str, tuple[int, int, int]] = {}  # path -> (inode, size, mtime) of files already checked here


@dataclass(frozen=True)
class Usage:
    """What a cache holds."""

    entries: int
    bytes: int


@dataclass(frozen=True)
class Cache:
    """Build results under `root`, shared by every process that names the same directory.

    A `trusted` root is used whoever owns it.
    """

    root: Path
    trusted: bool = False

    def get_or_build(self, key: str, build: Build, suffix: str = ".so") -> Path:
        """The entry of `key`. If there is none, `build(path)` writes it; files beside `path` are scratch."""
        if (problem := self._distrust()) is not None:
            return self._elsewhere(problem, key, build, suffix)
        if (found := self._lookup(key, suffix)) is not None:
            return found
        try:
            return self._build_here(key, build, suffix)
        except OSError as error:
            return self._elsewhere(error.strerror or str(error), key, build, suffix)
        except Exception:
            # A compiler out of disk space only prints so: ask the disk, to keep that apart from a bad source.
            problem = self._cannot_write()
            if problem is None:
                raise
            return self._elsewhere(problem, key, build, suffix)

    def find(self, key: str, suffix: str = ".so") -> Path | None:
        """The entry of `key`, if there is one that is intact and only its owner can have written."""
        return None if self._distrust() is not None else self._lookup(key, suffix)

    def clear(self, older_than_days: float = 0.0) -> Usage:
        """Remove entries, and every left-over of killed builds; return what was removed."""
        removed, freed = 0, 0
        limit = time.time() - older_than_days * 86400
        for entry in self._entries():
            with contextlib.suppress(FileNotFoundError):
                status = entry.stat()
                if status.st_mtime <= limit:
                    entry.unlink()
                    removed, freed = removed + 1, freed + status.st_size
        for scratch in self._scratch_root.glob("*/"):
            with contextlib.suppress(OSError), locked(self._lock_of(scratch.name), wait=False) as abandoned:
                if abandoned:
                    shutil.rmtree(scratch, ignore_errors=True)
        return Usage(removed, freed)

    def usage(self) -> Usage:
        """Count entries and their bytes."""
        sizes = []
        for entry in self._entries():
            with contextlib.suppress(FileNotFoundError):
                sizes.append(entry.stat().st_size)
        return Usage(len(sizes), sum(sizes))

    @property
    def _scratch_root(self) -> Path:
        return self.root / "building"

    def _lock_of(self, key: str) -> Path:
        return self._scratch_root / f"{key}.lock"

    def _shard(self, key: str) -> Path:
        return self.root / "entries" / key[:2]

    def _entries(self) -> Iterator[Path]:
        return (path for path in self.root.glob("entries/*/*") if path.is_file())

    def _distrust(self) -> str | None:
        """Libraries from here are loaded into this process: others must not be able to write them."""
        if self.trusted:
            return None
        try:
            status = self.root.stat()
        except OSError:
            return None
        if not stat.S_ISDIR(status.st_mode):
            return "it is not a directory"
        if status.st_uid not in (os.geteuid(), 0):
            return "it belongs to another user"
        if status.st_mode & stat.S_IWOTH:
            return "every user may write to it"
        return None

    def _lookup(self, key: str, suffix: str) -> Path | None:
        try:
            names = os.listdir(self._shard(key))
        except OSError:
            return None
        for name in names:
            if name.startswith(f"{key}.") and name.endswith(suffix):
                path = self._shard(key) / name
                if _is_intact(path, key, suffix):
                    return path
                with contextlib.suppress(OSError):
                    path.unlink()
        return None

    def _build_here(self, key: str, build: Build, suffix: str) -> Path:
        for directory in (self.root, self._scratch_root, self._shard(key)):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self._lock_of(key)):
            # Another process may have built it while this one waited for the lock.
            if (found := self._lookup(key, suffix)) is not None:
                return found
            # Whoever holds the lock is the only builder of this key: what lies here was left by a killed one.
            scratch = self._scratch_root / key
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir(exist_ok=True)
            try:
                return self._build_in(scratch, key, build, suffix)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)

    def _build_in(self, scratch: Path, key: str, build: Build, suffix: str) -> Path:
        # A killed builder's compiler may live on for a moment and write: never share a directory with it.
        product = Path(tempfile.mkdtemp(dir=scratch)) / f"out{suffix}"
        build(product)
        entry = self._shard(key) / f"{key}.{_checksum(product)}{suffix}"
        os.replace(product, entry)
        return entry

    def _cannot_write(self) -> str | None:
        try:
            self._scratch_root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._scratch_root) as probe:
                probe.write(bytes(_PROBE_BYTES))
        except OSError as error:
            return error.strerror or str(error)
        return None

    def _elsewhere(self, problem: str, key: str, build: Build, suffix: str) -> Path:
        if self.root == fallback.private_root():
            raise CacheError(f"cannot keep compiled code anywhere: {problem}", where=str(self.root))
        fallback.warn_once(self.root, problem)
        return Cache(fallback.private_root()).get_or_build(key, build, suffix)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def _is_intact(path: Path, key: str, suffix: str) -> bool:
    try:
        status = path.stat()
        identity = (status.st_ino, status.st_size, status.st_mtime_ns)
        if _verified.get(str(path)) == identity:
            return True
        intact = path.name == f"{key}.{_checksum(path)}{suffix}"
    except OSError:
        return False
    if intact:
        _verified[str(path)] = identity
    return intact
