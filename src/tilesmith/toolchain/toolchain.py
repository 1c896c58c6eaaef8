"""Finds a C++20 compiler: the one asked for, g++, clang++, or the one in the ziglang wheel."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from tilesmith import settings
from tilesmith.errors import ToolchainError
from tilesmith.toolchain.cache import Cache

Family = Literal["gcc", "clang", "zig"]

# Preprocessing this shows language, library and version at once, in a tenth of the time compiling would take.
_PROBE = """
#include <version>
#include <source_location>
#if __cplusplus < 202002L || !defined(__cpp_concepts) || !defined(__cpp_lib_source_location)
#error no C++20
#endif
#ifdef __clang__
tilesmith_probe clang __VERSION__
#else
tilesmith_probe gcc __VERSION__
#endif
"""


@dataclass(frozen=True)
class Compiler:
    """A compiler that passed the C++20 test. `id` changes whenever its output might.

    One that is not `present` was here before, or made the wheel: what it compiled is known by it.
    """

    command: tuple[str, ...]
    family: Family
    version: str
    id: str
    present: bool = True

    def __str__(self) -> str:
        return f"{shlex.join(self.command)} ({self.version})"

    def environment(self) -> dict[str, str]:
        """Its messages in English, and zig's own cache beside ours."""
        environment = {**os.environ, "LC_ALL": "C"}
        if self.family == "zig":
            environment.setdefault("ZIG_GLOBAL_CACHE_DIR", str(settings.current().cache_dir / "zig"))
        return environment


def find_compiler() -> Compiler:
    """The first usable compiler, or a ToolchainError that says what was tried."""
    return _find(asked_for(), os.environ.get("PATH", ""), settings.current().cache_dir)


def asked_for() -> str:
    """The compiler that the user names, if any."""
    return settings.current().cxx or os.environ.get("CXX", "")


@lru_cache(maxsize=16)
def _find(wanted: str, search_path: str, cache_dir: Path) -> Compiler:
    refused = []
    for command in _candidates(wanted, search_path):
        try:
            return _examine(command, cache_dir)
        except ToolchainError as error:
            refused.append(error.what)
    raise ToolchainError("; ".join(["no C++20 compiler was found", *refused]), where=f"PATH={search_path}")


def _candidates(wanted: str, search_path: str) -> Iterator[tuple[str, ...]]:
    names = [wanted] if wanted else ["g++", "clang++", "c++"]
    for name in names:
        words = shlex.split(name)
        if path := shutil.which(words[0], path=search_path):
            yield (path, *words[1:])
    if zig := _zig():
        yield (zig, "c++")


def _zig() -> str | None:
    package = importlib.util.find_spec("ziglang")
    if package is None or package.origin is None:
        return None
    binary = Path(package.origin).parent / ("zig.exe" if sys.platform == "win32" else "zig")
    return str(binary) if binary.exists() else None


def _examine(command: tuple[str, ...], cache_dir: Path) -> Compiler:
    """The probe's answer is cached: a later process learns it without starting the compiler."""
    status = Path(command[0]).resolve().stat()
    identity = repr((command, status.st_size, status.st_mtime_ns, status.st_ino, _PROBE))
    key = hashlib.sha256(identity.encode()).hexdigest()[:32]

    def build(path: Path) -> None:
        path.write_text(json.dumps(_probe(command)))

    answer = json.loads(Cache(cache_dir).get_or_build(key, build, ".json").read_text())
    family: Family = "zig" if command[1:2] == ("c++",) else answer["kind"]
    digest = hashlib.sha256(f"{key}{answer['version']}".encode()).hexdigest()[:16]
    return Compiler(command, family, answer["version"], digest)


def _probe(command: tuple[str, ...]) -> dict[str, str]:
    name = shlex.join(command)
    try:
        done = subprocess.run(
            [*command, "-std=c++20", "-E", "-P", "-x", "c++", "-"],
            input=_PROBE,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"{name} does not run: {error}") from error
    for line in done.stdout.splitlines():
        if line.startswith("tilesmith_probe ") and done.returncode == 0:
            _, family, version = line.split(" ", 2)
            return {"kind": family, "version": version.strip('"')}
    raise ToolchainError(f"{name} does not know C++20")
