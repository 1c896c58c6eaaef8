"""Profiles saved in a folder: read once, the oldest first."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.profiling.test_run import idle_program

import tilesmith
from tilesmith.dashboard import History, PerformanceCollector
from tilesmith.profiling import PerformanceProfiler


def idles() -> None:
    with tilesmith.open_device("n150") as device:
        device.run(idle_program())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three runs, the last of which takes twice as long."""
    first = PerformanceCollector(tmp_path).collect_metrics(idles).folder
    profile = PerformanceProfiler(first).profile
    for number, factor in ((1, 1), (2, 2)):
        slower = tuple(replace(one, microseconds=100.0 * factor) for one in profile.programs)
        path = replace(profile, programs=slower, title="layer").save(tmp_path / str(number)) / "profile.json"
        os.utime(path, (number, number))
    return tmp_path


def test_metrics_of_a_call(tmp_path: Path) -> None:
    metrics = PerformanceCollector(tmp_path).collect_metrics(idles, title="nothing much")
    assert metrics.throughput == pytest.approx(1e6 / metrics.latency_us if metrics.latency_us else 0.0)
    assert metrics.folder.parent == tmp_path
    assert History(tmp_path).runs()[0].title == "nothing much"


def test_runs_are_read_once(folder: Path) -> None:
    history = History(folder)
    first = history.runs()
    assert [run.name for run in first[:2]] == ["1", "2"]
    assert [after is before for after, before in zip(history.runs(), first, strict=True)] == [True] * 3
    os.utime(folder / "1" / "profile.json", (3, 3))
    assert [run.name for run in history.runs()[:2]] == ["2", "1"]


def test_what_is_no_profile_is_named(tmp_path: Path) -> None:
    (tmp_path / "profile.json").write_text("[]")
    history = History(tmp_path)
    assert history.runs() == []
    assert "is not a profile" in history.broken[0]
