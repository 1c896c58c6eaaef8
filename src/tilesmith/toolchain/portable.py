"""Compiling what a wheel brings: for every CPU of a kind, with a manifest of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

from tilesmith.toolchain import includes, library
from tilesmith.toolchain.cache import Cache
from tilesmith.toolchain.host import portable_cpu
from tilesmith.toolchain.prebuilt import Manifest
from tilesmith.toolchain.toolchain import find_compiler

# The computer a wheel is installed on may have an older C++ library, or none.
_STANDALONE = ("-static-libstdc++", "-static-libgcc")


@contextmanager
def building_portably(root: Path) -> Iterator[None]:
    """Every library that is asked for inside is compiled for a wheel, into `root`, and used from there."""
    compiler = find_compiler()
    march, features = portable_cpu()
    names: dict[str, None] = {}

    def build(job: library.Job) -> Path:
        wanted = job.compiled_for(march)
        alone = _STANDALONE if compiler.family == "gcc" else ()
        linked = replace(wanted, link=(*wanted.link, *alone))
        names[includes.known_as(library.names_of(job)[0])] = None
        key = wanted.key(compiler, march)
        return Cache(root).get_or_build(key, partial(library.build_to, linked, compiler))

    with patch.object(library, "build", build):
        yield
    Manifest(compiler, march, features, tuple(names)).write(root)
