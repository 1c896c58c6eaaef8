"""What `tilesmith doctor` says about the vendor's runtime."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tilesmith.cli import doctor
from tilesmith.runtime import ttnn_library


def test_the_vendors_compiler_is_found_beside_ttnn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: package)
    monkeypatch.delenv("TT_METAL_RUNTIME_ROOT", raising=False)
    compiler = tmp_path / "runtime" / "sfpi" / "compiler" / "bin" / "riscv-tt-elf-g++"
    assert str(tmp_path) not in doctor._sfpi().sentence
    compiler.parent.mkdir(parents=True)
    compiler.touch()
    assert doctor._sfpi().present
    assert str(tmp_path) in doctor._sfpi().sentence
    # As ttnn does, another root is looked into instead.
    monkeypatch.setenv("TT_METAL_RUNTIME_ROOT", str(tmp_path / "other"))
    assert str(tmp_path) not in doctor._sfpi().sentence


def test_the_python_that_has_wheels_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(ttnn_library, "PYTHON_WITH_WHEELS", (3, 99))
    assert "use Python 3.99, for which there are wheels" in doctor._ttnn().sentence
    monkeypatch.setattr(ttnn_library, "PYTHON_WITH_WHEELS", sys.version_info[:2])
    assert doctor._ttnn().sentence.endswith("simulator: pip install 'tilesmith[ttnn]'.")


def test_a_simulator_or_mock_in_the_environment_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in doctor._TTNN_TARGETS:
        monkeypatch.delenv(variable, raising=False)
    assert "looks for a card" in doctor._ttnn_target().sentence
    monkeypatch.setenv("TT_METAL_MOCK_CLUSTER_DESC_PATH", str(tmp_path))
    assert doctor._ttnn_target().present
    monkeypatch.setenv("TT_METAL_SIMULATOR", str(tmp_path / "sim.so"))
    told = doctor._ttnn_target()
    assert not told.present
    assert "there is no such file" in told.sentence
    (tmp_path / "sim.so").touch()
    assert "wants the chip's soc_descriptor.yaml beside it" in doctor._ttnn_target().sentence
    (tmp_path / "soc_descriptor.yaml").touch()
    monkeypatch.delenv("TT_METAL_SLOW_DISPATCH_MODE", raising=False)
    assert "wants TT_METAL_SLOW_DISPATCH_MODE=1" in doctor._ttnn_target().sentence
    monkeypatch.setenv("TT_METAL_SLOW_DISPATCH_MODE", "1")
    assert doctor._ttnn_target().present


def test_the_release_of_the_compiler_that_ttnn_wants_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: package)
    monkeypatch.setattr(doctor, "_SFPI", tmp_path / "opt")
    (tmp_path / "tt_metal").mkdir()
    (tmp_path / "tt_metal" / "sfpi-version").write_text("# x\nsfpi_version='7.89.0'\n", encoding="utf-8")
    found = doctor._sfpi()
    assert not found.present
    assert "install release 7.89.0 of github.com/tenstorrent/sfpi" in found.sentence


@pytest.mark.parametrize(("version", "told"), [("0.80.1", "is there for"), ("0.66.0", "tested with 0.77.0")])
def test_releases_that_are_not_tested_are_told(
    version: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: SimpleNamespace(origin="x"))
    monkeypatch.setattr(importlib.metadata, "version", lambda _: version)
    assert told in doctor._ttnn().sentence
