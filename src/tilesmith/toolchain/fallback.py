"""Where compiled code goes when the cache directory cannot be used: a directory of this process alone."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
import warnings
from pathlib import Path

from tilesmith.errors import CacheError, TilesmithWarning

_lock = threading.Lock()
_private: dict[int, Path] = {}  # by process: a forked child must not use, nor remove, its parent's directory
_warned: set[tuple[Path, str]] = set()
_CANDIDATES = (None, "/dev/shm")  # the system's choice first, then memory


def private_root() -> Path:
    """The directory of this process, made at the first call and removed when the process ends."""
    with _lock:
        if os.getpid() not in _private:
            _private[os.getpid()] = _make()
        return _private[os.getpid()]


def warn_once(cache: Path, problem: str) -> None:
    """One sentence for each thing that is wrong with a cache, not one per kernel."""
    if (cache, problem) not in _warned:
        _warned.add((cache, problem))
        warnings.warn(
            f"the cache {cache} cannot be used ({problem}): compiled code is kept for this process only; "
            "set TILESMITH_CACHE_DIR to a directory that can be written",
            TilesmithWarning,
            stacklevel=2,
        )


def _make() -> Path:
    problem = ""
    for parent in _CANDIDATES:
        try:
            root = Path(tempfile.mkdtemp(prefix="tilesmith-", dir=parent))
            (root / "probe").write_bytes(bytes(1 << 20))
            (root / "probe").unlink()
        except OSError as error:
            problem = error.strerror or str(error)
            continue
        atexit.register(_remove, root, os.getpid())
        return root
    raise CacheError(f"cannot keep compiled code anywhere: {problem}", where=tempfile.gettempdir())


def _remove(root: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(root, ignore_errors=True)
