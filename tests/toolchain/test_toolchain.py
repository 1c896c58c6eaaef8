"""A compiler is found, tested and remembered; without one a sentence says what to install."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tilesmith.errors import ToolchainError
from tilesmith.toolchain import __main__ as command
from tilesmith.toolchain import find_compiler, toolchain


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_cache: Path) -> Path:
    """A PATH with nothing on it, and no ziglang."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(toolchain, "_zig", lambda: None)
    return tmp_path / "bin"


def test_this_machine_has_one() -> None:
    compiler = find_compiler()
    assert compiler.family in ("gcc", "clang", "zig")
    assert compiler.version in str(compiler)
    assert find_compiler() == compiler


def test_without_one_the_error_says_what_to_install(bare_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"no C\+\+20 compiler was found") as caught:
        find_compiler()
    assert "pip install ziglang" in caught.value.remedy


def test_an_old_compiler_is_passed_over(bare_path: Path) -> None:
    script(bare_path / "g++", "echo 'error: unknown standard c++20' >&2; exit 1")
    script(bare_path / "clang++", "echo 'tilesmith_probe clang \"19.1\"'")
    compiler = find_compiler()
    assert (compiler.family, compiler.version) == ("clang", "19.1")


def test_every_refused_compiler_is_named(bare_path: Path) -> None:
    old = script(bare_path / "g++", "exit 1")
    broken = script(bare_path / "clang++", "")
    broken.write_text("no shebang, no program")
    with pytest.raises(ToolchainError) as caught:
        find_compiler()
    assert f"{old} does not know C++20" in caught.value.what
    assert str(broken) in caught.value.what


def test_the_one_asked_for_comes_first(bare_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(bare_path / "g++", "echo 'tilesmith_probe gcc \"13\"'")
    mine = script(bare_path / "mine", "echo 'tilesmith_probe gcc \"99\"'")
    monkeypatch.setenv("CXX", "mine --option")
    assert find_compiler().command == (str(mine), "--option")
    monkeypatch.setenv("TILESMITH_CXX", "g++")
    assert find_compiler().version == "13"


def test_zig_is_the_last_resort(bare_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zig = script(bare_path / "wheel" / "zig", "echo 'tilesmith_probe clang \"20\"'")
    monkeypatch.setattr(toolchain, "_zig", lambda: str(zig))
    compiler = find_compiler()
    assert (compiler.family, compiler.command) == ("zig", (str(zig), "c++"))
    assert "ZIG_GLOBAL_CACHE_DIR" in compiler.environment()


def test_the_ziglang_wheel_is_found_by_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert toolchain._zig() is None
    monkeypatch.undo()
    package = tmp_path / "ziglang"
    script(package / "zig", "")
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert toolchain._zig() == str(package / "zig")


def test_the_answer_is_remembered_until_the_compiler_changes(bare_path: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script(bare_path / "g++", f"echo run >> {log}; echo 'tilesmith_probe gcc \"13\"'")
    first = find_compiler()
    toolchain._find.cache_clear()  # as in a later process
    assert find_compiler() == first
    assert log.read_text() == "run\n"
    script(bare_path / "g++", f"echo run >> {log}; echo 'tilesmith_probe gcc \"14.1\"'")
    toolchain._find.cache_clear()
    assert find_compiler().id != first.id


def test_the_module_tells_which(capsys: pytest.CaptureFixture[str], bare_path: Path) -> None:
    assert command.main() == 1
    assert "pip install ziglang" in capsys.readouterr().err
    script(bare_path / "g++", "echo 'tilesmith_probe gcc \"13\"'")
    assert command.main() == 0
    assert "g++ (13)" in capsys.readouterr().out


def test_it_starts_without_the_rest_of_the_package() -> None:
    """Finding a compiler must not import torch: it is what `make` asks first."""
    code = "import sys, tilesmith.toolchain; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
