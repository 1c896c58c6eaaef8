"""What was compiled before runs without a compiler: from the cache, or from the wheel."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from tilesmith import settings
from tilesmith.emulator.runtime_build import runtime_job
from tilesmith.errors import ToolchainError
from tilesmith.toolchain import (
    Job,
    compile_shared,
    find_compiler,
    known_compiler,
    library,
    prebuilt,
    toolchain,
)
from tilesmith.toolchain.cache import Cache
from tilesmith.toolchain.host import host_features
from tilesmith.toolchain.library import build
from tilesmith.toolchain.portable import building_portably

SOURCE = ("answer.cpp", 'extern "C" int answer() { return 42; }')
JOB = Job((SOURCE,), flags=("-O1", "-march=native"))


@pytest.fixture
def lose_compilers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Call its `setenv` to take every compiler away."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.delenv("TILESMITH_CXX", raising=False)
    monkeypatch.setattr(toolchain, "_zig", lambda: None)
    return monkeypatch


def without(patch: pytest.MonkeyPatch) -> None:
    patch.setenv("PATH", "/nowhere")


def answer(path: Path) -> int:
    return int(ctypes.CDLL(str(path)).answer())


def test_a_cached_library_is_found_without_a_compiler(
    fresh_cache: Path, lose_compilers: pytest.MonkeyPatch
) -> None:
    path = compile_shared([SOURCE])
    compiler = known_compiler()
    without(lose_compilers)
    with pytest.raises(ToolchainError):
        find_compiler()
    assert not known_compiler().present
    assert known_compiler().id == compiler.id
    assert compile_shared([SOURCE]) == path
    with pytest.raises(
        ToolchainError, match=r"other.cpp must be compiled, and no C\+\+20 compiler was found"
    ):
        compile_shared([("other.cpp", "int other;")])


def test_one_that_was_asked_for_must_be_there(fresh_cache: Path, lose_compilers: pytest.MonkeyPatch) -> None:
    compile_shared([SOURCE])
    lose_compilers.setenv("TILESMITH_CXX", "no-such-compiler")
    without(lose_compilers)
    with pytest.raises(ToolchainError, match="no C\\+\\+20 compiler"):
        compile_shared([SOURCE])


def test_a_wheel_brings_libraries_for_every_cpu_of_a_kind(
    tmp_path: Path, fresh_cache: Path, lose_compilers: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "prebuilt"
    with building_portably(wheel):
        assert answer(library.build(JOB)) == 42
    assert Cache(wheel).usage().entries == 1
    lose_compilers.setattr(prebuilt, "ROOT", wheel)
    without(lose_compilers)
    found = build(JOB)
    assert found.is_relative_to(wheel)
    assert answer(found) == 42
    # Another CPU than the wheel is for compiles for itself, which here it cannot.
    lose_compilers.setattr(prebuilt, "host_features", lambda: frozenset(["z80"]))
    with pytest.raises(ToolchainError):
        build(JOB)


def test_a_compiler_that_is_asked_for_is_used_in_spite_of_the_wheel(
    tmp_path: Path, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "prebuilt"
    with building_portably(wheel):
        assert answer(library.build(JOB)) == 42
    monkeypatch.setattr(prebuilt, "ROOT", wheel)
    assert build(JOB).is_relative_to(wheel)
    with settings.using(cxx=find_compiler().command[0]):
        assert not build(JOB).is_relative_to(wheel)


def test_features_are_those_of_this_computer() -> None:
    assert host_features() & {"x86_64", "aarch64", "arm64"}


def test_the_runtime_is_the_same_wherever_the_package_lies() -> None:
    assert not [source for source in runtime_job().sources if '"/' in str(source)]


@pytest.mark.parametrize(("verbosity", "told"), [("quiet", 0), ("normal", 2), ("verbose", 3)])
def test_long_compilations_are_announced(
    verbosity: str, told: int, fresh_cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with settings.using(verbosity=verbosity):
        build(Job((SOURCE,), title="the answer"))
        build(Job((("small.cpp", "int small;"),)))
        build(Job((SOURCE,), title="the answer"))
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == told
    if told:
        assert lines[0].startswith("tilesmith: compiling the answer with ")
        assert lines[1].startswith("tilesmith: compiled the answer in ")
