"""The command line: each subcommand says what it should and ends with the right status."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tilesmith import cli
from tilesmith.cli import doctor as doctor_module
from tilesmith.cli.app import app
from tilesmith.cli.doctor import examine
from tilesmith.errors import ToolchainError
from tilesmith.toolchain import compile_shared
from tilesmith.units import readable

runner = CliRunner()


def finding(part: str) -> doctor_module.Finding:
    return next(one for one in examine() if one.part == part)


def test_doctor_finds_the_compiler_and_speaks_in_sentences() -> None:
    done = runner.invoke(app, ["doctor"])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert {line.split()[1] for line in lines} >= {"compiler", "cache", "torch", "tilelang", "ttnn", "gpu"}
    assert all(line.endswith(".") for line in lines)


def test_doctor_fails_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing() -> None:
        raise ToolchainError("no C++20 compiler was found")

    monkeypatch.setattr("tilesmith.toolchain.find_compiler", nothing)
    done = runner.invoke(app, ["doctor"])
    assert done.exit_code == 1
    assert "pip install ziglang" in done.output


def test_doctor_tells_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TILESMITH_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert not doctor_module._cache().present


def test_doctor_sees_packages_that_are_missing_or_have_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "torch" else object())

    def unknown(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", unknown)
    assert "pip install 'tilesmith[torch]'" in finding("torch").sentence
    assert "of unknown version" in finding("ttnn").sentence


@pytest.mark.parametrize(("text", "present"), [("echo 'Some GPU'", True), ("exit 9", False)])
def test_doctor_asks_for_gpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, present: bool
) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n{text}\n")
    tool.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(tool))
    assert finding("gpu").present is present
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert not finding("gpu").present


def test_doctor_counts_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "0").touch()
    monkeypatch.setattr(doctor_module, "Path", lambda _: tmp_path)
    assert doctor_module._card().sentence.startswith("1 Tenstorrent card(s)")


def test_cache_is_shown_and_cleared(fresh_cache: Path) -> None:
    compile_shared([("a.cpp", "int a;")])
    shown = runner.invoke(app, ["cache", "show"]).output
    assert f"{fresh_cache}: 2 entries" in shown
    assert "removed 0 entries" in runner.invoke(app, ["cache", "clear", "--older-than", "1"]).output
    assert "removed 2 entries" in runner.invoke(app, ["cache", "clear"]).output
    assert "0 entries, 0 B" in runner.invoke(app, ["cache", "show"]).output


def test_settings_show_what_is_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESMITH_SEED", "12")
    assert "TILESMITH_SEED=12  (TILESMITH_SEED)\n" in runner.invoke(app, ["settings"]).output


def test_errors_end_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TILESMITH_SEED", "x")
    monkeypatch.setattr(sys, "argv", ["tilesmith", "settings"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 1
    assert "TILESMITH_SEED is 'x'" in capsys.readouterr().err


def test_the_module_runs_and_loads_no_torch() -> None:
    code = "import sys, runpy; sys.argv = ['tilesmith', '--help']\n"
    code += "try: runpy.run_module('tilesmith.cli', run_name='__main__')\nexcept SystemExit: pass\n"
    code += "sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "doctor" in done.stdout


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (3 << 20, "3.0 MiB"), (5 << 30, "5.0 GiB")],
)
def test_sizes_are_readable(size: int, text: str) -> None:
    assert readable(size) == text
