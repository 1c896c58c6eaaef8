"""Telling people what is being compiled, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tilesmith import settings
from tilesmith.toolchain.toolchain import Compiler

# On a computer that does nothing else.
_USUALLY = {"gcc": "5 to 15 s", "clang": "5 to 15 s", "zig": "10 to 30 s"}


@contextmanager
def announced(title: str, sources: Sequence[str], compiler: Compiler) -> Iterator[None]:
    """What has a title takes long: it is told before and after. Everything else only to those who ask."""
    verbosity = settings.current().verbosity
    wanted = verbosity == "verbose" or (verbosity == "normal" and bool(title))
    if not wanted:
        yield
        return
    what, began = title or ", ".join(sources), time.monotonic()
    if title:
        usually = _USUALLY[compiler.family]
        _tell(f"compiling {title} with {compiler}: once for this computer and version, {usually} ...")
    yield
    kept = f", kept in {settings.current().cache_dir}" if title else ""
    _tell(f"compiled {what} in {time.monotonic() - began:.1f} s{kept}")


def _tell(sentence: str) -> None:
    if sys.stderr is not None:
        print(f"tilesmith: {sentence}", file=sys.stderr, flush=True)
