"""`@pytest.mark.benchmark`: a test whose predicted time is held against a baseline file beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tilesmith.profiling.collect import Recorder, recording
from tilesmith.profiling.report import Profile
from tilesmith.profiling.runs.baseline import BaselineFile
from tilesmith.profiling.runs.figures import figures_of
from tilesmith.profiling.runs.gate import judge, parse_tolerance

_RECORDER = pytest.StashKey[Recorder]()
_OF_PYTEST_BENCHMARK = ("group", "min_time", "max_time", "min_rounds", "timer", "disable_gc", "warmup")


class BenchmarkGate:
    """The plugin: records marked tests, and judges those that pass."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        marker = _marker(item)
        if marker is None:
            return (yield)
        with recording(item.name) as recorder:
            item.stash[_RECORDER] = recorder
            result = yield
        _judge(item, marker, recorder)
        return result


def recorded(item: pytest.Item) -> Profile:
    """What ran so far in a test that is marked."""
    recorder = item.stash.get(_RECORDER, None)
    if recorder is None:
        pytest.fail("`profiled` belongs to tests marked with @pytest.mark.benchmark")
    return recorder.profile


def _marker(item: pytest.Item) -> pytest.Mark | None:
    """Ours, not that of pytest-benchmark, which has the same name and options of its own."""
    marker = item.get_closest_marker("benchmark")
    if marker is None or any(name in marker.kwargs for name in _OF_PYTEST_BENCHMARK):
        return None
    return None if "benchmark" in getattr(item, "fixturenames", ()) else marker


def _judge(item: pytest.Item, marker: pytest.Mark, recorder: Recorder) -> None:
    threshold = parse_tolerance(str(marker.kwargs.get("threshold", "5%")))
    file = BaselineFile(_file(item, marker))
    profile = recorder.profile
    if not profile.programs:
        pytest.fail(
            "no program ran on the emulator, so there is nothing to hold against a baseline", pytrace=False
        )
    figures = figures_of(profile)
    if item.config.getoption("--update-baseline"):
        file.update(item.name, figures)
        return
    known = file.get(item.name)
    if known is None:
        pytest.fail(f"{file.path} has no baseline for {item.name}: run with --update-baseline", pytrace=False)
    verdict = judge(known, figures, threshold)
    if not verdict.ok:
        pytest.fail(str(verdict), pytrace=False)


def _file(item: pytest.Item, marker: pytest.Mark) -> Path:
    named = marker.kwargs.get("baseline")
    return item.path.parent / (named or f"{item.path.stem}.baseline.json")
