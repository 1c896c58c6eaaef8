"""What `tilesmith doctor` says about the vendor's runtime."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

from tilesmith.cli import doctor


def test_the_vendors_compiler_is_found_beside_ttnn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: package)
    compiler = tmp_path / "runtime" / "sfpi" / "compiler" / "bin" / "riscv-tt-elf-g++"
    assert str(tmp_path) not in doctor._sfpi().sentence
    compiler.parent.mkdir(parents=True)
    compiler.touch()
    assert doctor._sfpi().present
    assert str(tmp_path) in doctor._sfpi().sentence


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
