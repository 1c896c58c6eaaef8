"""The gate as a user types it, in a project of their own: profile, compare, runs, and the pytest marker."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner, Result

from tilesmith.cli.app import app
from tilesmith.errors import BadCallError

_SCRIPT = """
from examples.profile.linear import BEFORE, GOOD, run
import os, tilesmith
from tilesmith.runtime.observers import labelled

with tilesmith.open_device("wormhole") as device:
    run(device, BEFORE["reader"] if os.environ.get("SLOW") else GOOD)
"""
_TEST = """
import os, pytest, tilesmith
from examples.profile.linear import BEFORE, GOOD, run

@pytest.mark.benchmark(threshold="3%")
def test_linear(profiled):
    with tilesmith.open_device("wormhole") as device:
        run(device, BEFORE["reader"] if os.environ.get("SLOW") else GOOD)
    assert profiled().microseconds > 0
"""


@pytest.fixture
def project(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of someone else, with our examples on its path."""
    (tmp_path / "linear.py").write_text(_SCRIPT)
    (tmp_path / "test_linear.py").write_text(_TEST)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(repository), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.delenv("TILESMITH_RUNS_DIR")
    monkeypatch.delenv("SLOW", raising=False)
    return tmp_path


def typed(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300, check=False)


def tilesmith(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_a_gate_in_a_project_of_their_own(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    gate = ("profile", "--baseline", "base.json", "--fail-over", "5%")
    missing = tilesmith(*gate, "linear.py")
    assert isinstance(missing.exception, BadCallError)
    assert "make one with --update-baseline" in str(missing.exception)
    assert tilesmith(*gate, "--update-baseline", "linear.py").exit_code == 0
    assert tilesmith(*gate, "linear.py").exit_code == 0

    monkeypatch.setenv("SLOW", "1")
    slower = tilesmith(*gate, "linear.py")
    assert slower.exit_code == 1
    assert "SLOWER: linear" in slower.stderr
    assert "its bound changed from" in slower.stderr
    assert "reader waits on DRAM" in slower.stderr
    assert tilesmith("profile", "--baseline", "best", "linear.py").exit_code == 1
    assert tilesmith(*gate, "--update-baseline", "linear.py").exit_code == 0
    assert tilesmith(*gate, "linear.py").exit_code == 0

    listed = json.loads(tilesmith("runs", "list", "--json").stdout)
    assert len(listed) >= 6
    compared = json.loads(tilesmith("compare", "2", "last", "--json").stdout)
    first, last = (total["values"] for total in compared["totals"] if total["name"] == "latency").__next__()
    assert last > 2 * first
    assert tilesmith("runs", "tag", "last", "slow").exit_code == 0
    assert "[slow]" in tilesmith("runs", "list", "--tag", "slow").stdout
    assert tilesmith("runs", "show", "slow", "--html", "slow.html").exit_code == 0
    assert (project / "slow.html").stat().st_size > 10_000
    assert tilesmith("runs", "delete", "slow").exit_code == 0


@pytest.mark.slow
def test_the_marker_of_pytest(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest_run = ("pytest", "-q", "-p", "tilesmith.pytest_plugin", "-p", "no:cacheprovider", "test_linear.py")
    assert typed(project, *pytest_run, "--update-baseline").returncode == 0
    assert (project / "test_linear.baseline.json").is_file()
    assert typed(project, *pytest_run).returncode == 0
    monkeypatch.setenv("SLOW", "1")
    failed = typed(project, *pytest_run)
    assert failed.returncode == 1
    assert "SLOWER: test_linear" in failed.stdout
    assert "its bound changed from" in failed.stdout
    assert typed(project, *pytest_run, "--update-baseline").returncode == 0
    assert typed(project, *pytest_run).returncode == 0


def test_bench_keeps_a_run_for_each_level_and_gates_them(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "mlp.py").write_text(
        "import torch\n"
        "def made():\n"
        "    torch.manual_seed(0)\n"
        "    return torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.GELU()), (torch.randn(32, 32),)\n"
    )
    monkeypatch.chdir(project)
    bench = ("bench", "mlp.py:made()", "--levels", "O0,O2", "--baseline", "bench.json")
    assert tilesmith(*bench, "--update-baseline").exit_code == 0
    same = tilesmith(*bench)
    assert same.exit_code == 0, same.output
    assert "ok: mlp.py:made()" in same.stderr

    baselines = json.loads((project / "bench.json").read_text())
    assert list(baselines["baselines"]) == ["mlp.py:made() O0", "mlp.py:made() O2"]
    baselines["baselines"]["mlp.py:made() O2"]["latency_us"] /= 2
    (project / "bench.json").write_text(json.dumps(baselines))
    slower = tilesmith(*bench)
    assert slower.exit_code == 1
    assert "SLOWER" in slower.stderr

    levels = [run["figures"]["level"] for run in json.loads(tilesmith("runs", "list", "--json").stdout)]
    assert levels == ["O2", "O0"] * 3
    assert "O0" in tilesmith("compare", "1", "2").stdout


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Threads of torch wait for each other, milliseconds where other tests run beside them."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.usefixtures("one_thread")
def test_a_measured_backend_is_gated_by_its_median(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "mlp.py").write_text(
        "import os, time, torch\n"
        "class Slow(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        for _ in range(20 if os.environ.get('SLOW') else 0):\n"
        "            x = x @ x / 512\n"
        "        return x + 1\n"
        "def made():\n"
        "    return Slow(), (torch.randn(512, 512),)\n"
    )
    monkeypatch.chdir(project)
    bench = ("bench", "mlp.py:made()", "--backend", "cpu", "--calls", "8", "--baseline", "bench.json")
    assert tilesmith(*bench, "--update-baseline").exit_code == 0
    kept = json.loads((project / "bench.json").read_text())["baselines"]["mlp.py:made() O2 cpu"]
    assert len(kept["samples_us"]) == 8
    assert kept["source"] == "host, measured"
    again = tilesmith(*bench, "--fail-over", "1000%")
    assert again.exit_code == 0, again.output
    assert "median us" in again.stdout
    assert "medians that spread over" in again.stderr

    monkeypatch.setenv("SLOW", "1")
    slower = tilesmith(*bench)
    assert slower.exit_code == 1
    assert "SLOWER: mlp.py:made()" in slower.stderr
    assert "times its baseline's" in slower.stderr


def test_a_backend_that_is_not_there_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "mlp.py").write_text(
        "import torch\ndef made():\n    return torch.nn.ReLU(), (torch.zeros(2),)\n"
    )
    monkeypatch.chdir(project)
    unknown = tilesmith("bench", "mlp.py:made()", "--backend", "tpu")
    assert "there is no backend 'tpu'" in str(unknown.exception)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    missing = tilesmith("bench", "mlp.py:made()", "--backend", "cuda")
    assert "torch finds no GPU here" in str(missing.exception)
