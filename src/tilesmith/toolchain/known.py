"""The compiler whose libraries can be used: the one that is here, or one that was."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict
from pathlib import Path

from tilesmith import settings
from tilesmith.errors import ToolchainError
from tilesmith.toolchain import prebuilt
from tilesmith.toolchain.toolchain import Compiler, asked_for, find_compiler

_NAME = "compiler.json"


def known_compiler() -> Compiler:
    """The compiler, or without one the last that filled this cache, or the one that made the wheel.

    What those compiled still runs. One that the user asked for must be there.
    """
    cache = settings.current().cache_dir
    try:
        found = find_compiler()
    except ToolchainError:
        wheel = prebuilt.manifest()
        known = _remembered(cache) or (wheel.compiler if wheel is not None else None)
        if known is None or asked_for():
            raise
        return known
    if not asked_for():
        _remember(found, cache)
    return found


def _remembered(cache: Path) -> Compiler | None:
    try:
        data = json.loads((cache / _NAME).read_text(encoding="utf-8"))
        return Compiler(**{**data, "command": tuple(data["command"]), "present": False})
    except (OSError, ValueError, TypeError, KeyError):
        return None


_written: set[tuple[Path, str]] = set()


def _remember(compiler: Compiler, cache: Path) -> None:
    if (cache, compiler.id) in _written:
        return
    _written.add((cache, compiler.id))
    before = _remembered(cache)
    if before is not None and before.id == compiler.id:
        return
    with contextlib.suppress(OSError):  # a cache that cannot be written: there is nothing to remember either
        path = cache / f"{_NAME}.{os.getpid()}"
        path.write_text(json.dumps(asdict(compiler)), encoding="utf-8")
        path.replace(cache / _NAME)
