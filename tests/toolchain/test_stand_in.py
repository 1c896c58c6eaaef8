"""What stands in for the C++ library where the compiler would have to build that first."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import pytest

from tilesmith.toolchain.library import Job, build_to
from tilesmith.toolchain.toolchain import Compiler

SOURCE = 'extern "C" int wanted(); extern "C" int answer() { return wanted(); }\n'
STAND_IN = 'extern "C" int wanted() { return 42; }\n'


@pytest.fixture
def zig(tmp_path: Path) -> Compiler:
    """g++ and ld under zig's names; it notes what it is called for."""
    if not (shutil.which("g++") and shutil.which("ld")):
        pytest.skip("needs g++ and ld")
    script = tmp_path / "zig"
    script.write_text(
        '#!/bin/sh\nwhat=$1; shift\necho "$what $*" >> "$0.calls"\n'
        'case $what in c++) exec g++ "$@" ;; ld.lld) exec ld "$@" ;; esac\n'
    )
    script.chmod(0o755)
    return Compiler((str(script), "c++"), "zig", "0", "fake")


def job(folder: Path, stand_in: str) -> Job:
    (folder / "library.cpp").write_text(stand_in)
    (folder / "library.map").write_text("{ global: *; local: wanted; };\n")
    return Job((("a.cpp", SOURCE),), flags=("-O0",), stand_in=folder / "library.cpp")


def calls(zig: Compiler) -> list[str]:
    return Path(f"{zig.command[0]}.calls").read_text().splitlines()


def test_it_is_linked_without_the_compiler_and_not_seen_by_others(tmp_path: Path, zig: Compiler) -> None:
    out = tmp_path / "a.so"
    build_to(job(tmp_path, STAND_IN), zig, out)
    assert not [call for call in calls(zig) if call.startswith("c++") and "-shared" in call]
    library = ctypes.CDLL(str(out))
    assert library.answer() == 42
    assert not hasattr(library, "wanted")


@pytest.mark.parametrize("text", ["", "this does not compile"])
def test_what_lacks_something_is_linked_by_the_compiler(text: str, tmp_path: Path, zig: Compiler) -> None:
    build_to(job(tmp_path, text), zig, tmp_path / "a.so")
    assert "-shared" in calls(zig)[-1]
    assert calls(zig)[-1].startswith("c++ ")


def test_only_zig_is_given_it(tmp_path: Path, zig: Compiler) -> None:
    with_one, gcc = job(tmp_path, STAND_IN), Compiler(("g++",), "gcc", "0", "fake")
    without = Job(with_one.sources, flags=with_one.flags)
    assert with_one.key(gcc, "cpu") == without.key(gcc, "cpu")
    assert with_one.key(zig, "cpu") != without.key(zig, "cpu")
