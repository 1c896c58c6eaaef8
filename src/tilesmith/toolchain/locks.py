"""A lock between processes that the system itself drops when the holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def locked(path: Path, wait: bool = True) -> Iterator[bool]:
    """Hold the lock on `path`, or yield False if it is taken and `wait` is off."""
    file = _acquire(path, wait)
    if file is None:
        yield False
        return
    try:
        yield True
    finally:
        # Unlinked while still held: a waiter sees that its file is gone and starts over.
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(file)


def _acquire(path: Path, wait: bool) -> int | None:
    mode = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _flock(file, mode)
            if os.fstat(file).st_ino == path.stat().st_ino:
                return file
        except FileNotFoundError:
            pass
        except BlockingIOError:
            os.close(file)
            return None
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _flock(file: int, mode: int) -> None:
    try:
        fcntl.flock(file, mode)
    except BlockingIOError:
        raise
    except OSError:
        # A network disk without locks: two builders waste time, but the rename that ends a build is atomic.
        return
