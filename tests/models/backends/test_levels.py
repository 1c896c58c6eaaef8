"""Optimisation levels on the emulator, with its checks on: the same results, in less predicted time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner, Result

import tilesmith
from tilesmith.cli.app import app
from tilesmith.errors import BadCallError, SettingsError
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.rowwise import RowWise
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import Launch
from tilesmith.zoo.running import relative_l2


def network() -> torch.nn.Module:
    torch.manual_seed(0)
    layers = (torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.LayerNorm(256))
    return torch.nn.Sequential(*layers).eval()


X = torch.randn(64, 256, generator=torch.Generator().manual_seed(1)) + 1.0


def at(level: str, **options: Any) -> tuple[tilesmith.CompiledModel, TenstorrentExecutable]:
    compiled = tilesmith.compile(network(), backend="tenstorrent", optimization_level=level, **options)
    with torch.no_grad():
        assert relative_l2(compiled(X), compiled.original(X)) < 0.02
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    return compiled, executable


def test_every_level_is_right_and_faster_than_the_one_before() -> None:
    times = [at(level)[1].microseconds for level in ("O0", "O1", "O2")]
    assert times == sorted(times, reverse=True)
    assert times[0] > 1.5 * times[2]


def test_cores_share_rows_at_o2() -> None:
    _, executable = at("O2")
    linear, norm = (step.template for step in executable.plan.steps if isinstance(step, Launch))
    assert isinstance(linear, Linear)
    assert isinstance(norm, RowWise)
    assert linear.mesh is not None
    assert norm.share == 2
    assert executable.dram_bytes > 256 * 256 * 2


def test_a_profile_has_every_kernel_of_a_call_and_what_holds_it_back() -> None:
    compiled, executable = at("O2")
    profile = compiled.profile(X)
    assert [one.name for one in profile.programs] == ["linear+gelu", "layer_norm"]
    assert sum(one.cycles for one in profile.programs) == executable.cycles
    assert all(one.bound.sentence for one in profile.programs)


def test_o3_lowers_what_the_gate_allows_and_says_so() -> None:
    compiled, executable = at("O3", accuracy=0.9998, candidates=1)
    (line,) = compiled.report.precision
    assert line.lowered
    assert line.weights == "bfloat8_b"
    assert 0.9998 <= line.pcc < 1
    assert "lowered: linear + gelu" in str(compiled.report)
    weights = [upload.view.storage.dtype for upload in executable.plan.constants]
    assert "bfloat8_b" in weights
    assert executable.dram_bytes < at("O2")[1].dram_bytes


def test_a_strict_gate_refuses_and_says_so() -> None:
    compiled, executable = at("O3", accuracy=1.0, candidates=1)
    assert [line.lowered for line in compiled.report.precision] == [False]
    assert "kept as it was by the gate: linear + gelu" in str(compiled.report)
    assert all(upload.view.storage.dtype != "bfloat8_b" for upload in executable.plan.constants)


def test_blocks_are_timed_once_and_found_again() -> None:
    first, again = (at("O3", accuracy=1.0, candidates=2)[1] for _ in range(2))
    chosen = [
        [step.template for step in one.plan.steps if isinstance(step, Launch)] for one in (first, again)
    ]
    assert chosen[0] == chosen[1]
    assert first.cycles <= at("O2")[1].cycles


def test_options_that_mean_nothing_are_refused() -> None:
    for wrong in (-1, 0.01, 1.5, "high"):
        with pytest.raises(SettingsError, match=r"accuracy is [\s\S]*from 0.5 to 1"):
            tilesmith.compile(network(), accuracy=wrong)
    with pytest.raises(SettingsError, match=r"candidates is 'many'"):
        tilesmith.compile(network(), candidates="many")


def test_bench_shows_a_level_in_each_line() -> None:
    header, line = bench("mlp", "--tiny", "--levels", "O2").output.splitlines()
    assert header.split()[:2] == ["level", "kernels"]
    assert line.split()[0] == "O2"
    (figures,) = json.loads(bench("mlp", "--tiny", "--levels", "O2", "--json").output)
    assert figures["chip_ms"] == pytest.approx(float(line.split()[3]), abs=1e-3)
    assert figures["pcc"] > 0.999


def test_bench_runs_a_model_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import torch\ndef relu(size):\n    return torch.nn.ReLU(), (torch.ones(size, size),)\nnothing = 1\n"
    )
    told = bench(f"{file}:relu(32)", "--levels", "O1")
    assert told.output.splitlines()[1].split()[:3] == ["O1", "1", "0"]
    with pytest.raises(BadCallError, match=r"gives no model[\s\S]*a tuple of its inputs"):
        bench(f"{file}:nothing")


def test_bench_refuses_a_level_there_is_not() -> None:
    with pytest.raises(BadCallError, match="levels are O0, O1, O2, O3"):
        bench("mlp", "--tiny", "--levels", "O7")


def bench(*words: str) -> Result:
    return CliRunner().invoke(app, ["bench", *words], catch_exceptions=False)
