"""A header parsed once for all kernels: parsing the standard headers is half of compiling a small kernel."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tilesmith import settings
from tilesmith.toolchain.cache import Cache
from tilesmith.toolchain.host import host_cpu
from tilesmith.toolchain.includes import Text, digest_of
from tilesmith.toolchain.invoke import run_compiler
from tilesmith.toolchain.toolchain import Compiler

_NAME = "precompiled.h"


def options(
    text: str, flags: Sequence[str], include_dirs: Sequence[Path], compiler: Compiler, scratch: Path
) -> list[str]:
    """Flags that make gcc, run in `scratch`, start every source with `text`, parsed already.

    Gcc takes the precompiled form of an included file if it lies beside it and fits; where it does not fit
    (a compiler that refuses to map it, say), it reads the file itself, and only time is lost.
    """
    identity = f"{compiler.id}{host_cpu()}{list(flags)!r}{digest_of([Text(_NAME, text)], include_dirs)}"
    key = hashlib.sha256(identity.encode()).hexdigest()[:40]
    build = partial(_precompile, text, flags, compiler)
    entry = Cache(settings.current().cache_dir).get_or_build(key, build, ".gch")
    (scratch / _NAME).write_text(text)
    (scratch / f"{_NAME}.gch").symlink_to(entry)
    return ["-include", _NAME]


def _precompile(text: str, flags: Sequence[str], compiler: Compiler, out: Path) -> None:
    (out.parent / _NAME).write_text(text)
    run_compiler(compiler, [*flags, "-x", "c++-header", _NAME, "-o", out.name], out.parent, [_NAME])
