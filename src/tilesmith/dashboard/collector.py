"""PerformanceCollector: run a model, keep its profile where the dashboard looks, and say the main figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tilesmith.models.profile import profile
from tilesmith.profiling import PerformanceProfiler


@dataclass(frozen=True)
class Metrics:
    """Of one call: time with launches, calls per second, and the peaks of the memories.

    `source` says whose they are: "chip, predicted", or "host, measured" where nothing ran on a device.
    """

    latency_us: float
    throughput: float
    dram_bytes: int
    l1_bytes: int
    folder: Path
    host_bytes: int = 0
    source: str = "chip, predicted"


class PerformanceCollector:
    """Collects into a folder; each call makes a new profile there."""

    def __init__(self, folder: str | Path = "./profiles", backend: str = "tenstorrent") -> None:
        self.folder = Path(folder)
        self.backend = backend

    def collect_metrics(self, model: Callable[..., Any], inputs: Any = (), title: str = "") -> Metrics:
        """Profile one call of `model`. Power is not among the figures: nothing published would support it."""
        name = title or getattr(model, "__name__", type(model).__name__)
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        target = self.folder / f"{stamp}-{name}"
        folder = profile(model, inputs, backend=self.backend, output_dir=target, title=name)
        seen = PerformanceProfiler(folder).profile
        latency, host = seen.latency_us, seen.memory.host
        metrics = Metrics(
            latency_us=latency,
            throughput=1e6 / latency if latency else 0.0,
            dram_bytes=seen.memory.peak_dram,
            l1_bytes=seen.memory.peak_l1,
            folder=folder,
        )
        return metrics if host is None else replace(metrics, host_bytes=host.peak_resident, source=host.label)
