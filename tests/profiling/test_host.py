"""Models that no device runs: the host is measured, and the figures say so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import tilesmith
from tilesmith.dashboard import History, PerformanceCollector
from tilesmith.profiling import MemoryProfiler, recording

MODEL = nn.Linear(64, 64).eval()
X = torch.ones(4, 64)
LARGE = 64 * 2**20


def fills_memory() -> int:
    return len(b"1" * LARGE)


def test_memory_of_an_eager_model_is_that_of_the_host() -> None:
    with MemoryProfiler() as profiler:
        fills_memory()
        MODEL(X)
    host = profiler.get_report().host
    assert host is not None
    assert host.label == "host, measured"
    assert host.peak_resident - host.resident_before > LARGE // 2
    assert host.microseconds > 0
    assert profiler.get_report().host == host  # measured to the end of the block, not to the question
    assert str(profiler.get_report()).startswith("host, measured: ")


def test_a_peak_of_before_does_not_count() -> None:
    fills_memory()
    with MemoryProfiler() as profiler:
        MODEL(X)
    host = profiler.get_report().host
    assert host is not None
    assert host.peak_resident - host.resident_before < LARGE // 2


def test_where_a_device_takes_part_nothing_is_measured() -> None:
    with MemoryProfiler() as profiler, tilesmith.open_device("n150") as device:
        device.empty((32, 32))
    assert profiler.get_report().host is None


@pytest.mark.parametrize("model", [MODEL, lambda x: MODEL(x)], ids=["backend cpu", "eager"])
def test_the_collector_measures_the_host(model: Any, tmp_path: Path) -> None:
    collector = PerformanceCollector(tmp_path, backend="cpu")
    metrics = [collector.collect_metrics(model, X, title="linear") for _ in range(2)]
    assert all(one.latency_us > 0 and one.throughput > 0 and one.host_bytes > 0 for one in metrics)
    assert {one.source for one in metrics} == {"host, measured"}
    assert (metrics[0].dram_bytes, metrics[0].l1_bytes) == (0, 0)
    runs = History(tmp_path).runs()
    assert [(run.product, run.microseconds) for run in runs] == [
        ("host, measured", one.latency_us) for one in metrics
    ]


def test_a_profile_of_the_host_says_so_when_printed() -> None:
    with recording("eager") as recorder:
        MODEL(X)
    assert str(recorder.profile).startswith("eager: host, measured: ")
