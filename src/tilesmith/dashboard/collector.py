"""PerformanceCollector: run a model, keep its profile where the dashboard looks, and say the main figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tilesmith.models.profile import profile, token_count
from tilesmith.profiling import PerformanceProfiler
from tilesmith.profiling.power import PowerSampler, find_source, power_of


@dataclass(frozen=True)
class Metrics:
    """Of one call: time with launches, calls per second, and the peaks of the memories.

    `source` says whose they are: "chip, predicted", or "host, measured" where nothing ran on a device.
    `power_consumption` is in watts. `power_source` says if a card gave it, or if it is an estimate from
    activity, which lies somewhere in `power_range`.
    """

    latency_us: float
    throughput: float
    dram_bytes: int
    l1_bytes: int
    folder: Path
    host_bytes: int = 0
    power_consumption: float = 0.0
    power_range: tuple[float, float] = (0.0, 0.0)
    energy_uj: float = 0.0
    energy_per_token_uj: float = 0.0
    power_source: str = ""
    source: str = "chip, predicted"


def _values(inputs: Any) -> Sequence[Any]:
    if isinstance(inputs, Mapping):
        return list(inputs.values())
    return inputs if isinstance(inputs, list | tuple) else [inputs]


class PerformanceCollector:
    """Collects into a folder; each call makes a new profile there."""

    def __init__(self, folder: str | Path = "./profiles", backend: str = "tenstorrent") -> None:
        self.folder = Path(folder)
        self.backend = backend

    def collect_metrics(self, model: Callable[..., Any], inputs: Any = (), title: str = "") -> Metrics:
        """Profile one call of `model`. Power comes from the card if there is one, else from activity."""
        name = title or getattr(model, "__name__", type(model).__name__)
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        target = self.folder / f"{stamp}-{name}"
        card, tokens = find_source(), token_count(_values(inputs))
        with PowerSampler(card) if card else nullcontext() as sampler:
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
        power = sampler.power if sampler and seen.untraced else power_of(seen)  # a card tells of its own
        if power is not None:
            metrics = replace(
                metrics,
                power_consumption=power.watts,
                power_range=(power.low, power.high),
                energy_uj=power.energy_uj,
                energy_per_token_uj=power.energy_uj / tokens if tokens else 0.0,
                power_source=power.source,
            )
        return metrics if host is None else replace(metrics, host_bytes=host.peak_resident, source=host.label)
