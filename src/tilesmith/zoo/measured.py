"""A model on a backend of this host, measured: medians of calls, their spread, and eager torch beside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from time import perf_counter
from typing import Any

import torch

from tilesmith.errors import BadCallError
from tilesmith.models.compiled_model import compile_model
from tilesmith.profiling.runs.figures import RunFigures, measured
from tilesmith.progress import tracked
from tilesmith.zoo.gpu_bench import torch_times
from tilesmith.zoo.levels import first_tensor
from tilesmith.zoo.running import pcc

HOSTS = ("cpu", "cuda")
_WARM_UP = 3


@dataclass(frozen=True)
class MeasuredFigures:
    """One level on one backend. `spread` is that of the middle half of the calls, as a part of the median."""

    level: str
    backend: str
    median_us: float
    spread: float
    calls: int
    eager_us: float
    pcc: float
    run: RunFigures
    torch_us: Mapping[str, float] = field(default_factory=dict)
    """On a GPU, what torch's own ways take."""
    device: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "backend": self.backend,
            "median_us": self.median_us,
            "spread": self.spread,
            "calls": self.calls,
            "eager_us": self.eager_us,
            "pcc": self.pcc,
            **({"torch_us": dict(self.torch_us), "device": self.device} if self.device else {}),
        }


def bench_host(
    model: torch.nn.Module,
    inputs: Sequence[Any],
    backend: str,
    levels: Sequence[str],
    *,
    calls: int = 20,
    title: str = "",
) -> list[MeasuredFigures]:
    """Each level, measured over so many calls after a few that warm up."""
    if backend == "cuda" and not torch.cuda.is_available():
        raise BadCallError(
            "torch finds no GPU here",
            where="--backend cuda",
            remedy="measure with --backend cpu, or leave --backend out for the time a chip would take",
        )
    model, inputs = model.eval().to(backend), tuple(_moved(value, backend) for value in inputs)
    title = title or type(model).__name__
    with torch.no_grad():
        wanted = first_tensor(model(*inputs))
        eager = median(_timed(lambda: model(*inputs), backend, calls))
        figures = [
            _level(model, inputs, backend, level, calls, title, eager, wanted)
            for level in tracked(levels, "levels")
        ]
        if backend != "cuda":
            return figures
        ways = torch_times(model, inputs, lambda run: median(_timed(run, backend, calls)))
    return [replace(figure, torch_us=ways, device=torch.cuda.get_device_name()) for figure in figures]


def _level(
    model: torch.nn.Module,
    inputs: Sequence[Any],
    backend: str,
    level: str,
    calls: int,
    title: str,
    eager_us: float,
    wanted: torch.Tensor,
) -> MeasuredFigures:
    compiled = compile_model(model, backend, level)
    result = first_tensor(compiled(*inputs))
    run = replace(measured(title, _timed(lambda: compiled(*inputs), backend, calls), backend), level=level)
    close = pcc(result.cpu(), wanted.cpu())
    return MeasuredFigures(level, backend, run.latency_us, run.spread, calls, eager_us, close, run)


def _timed(call: Callable[[], Any], backend: str, calls: int) -> tuple[float, ...]:
    """Microseconds of each call; work of a GPU is waited for."""
    wait: Callable[[], None] = torch.cuda.synchronize if backend == "cuda" else _no_wait
    samples = []
    for _ in range(_WARM_UP + calls):
        wait()
        begin = perf_counter()
        call()
        wait()
        samples.append((perf_counter() - begin) * 1e6)
    return tuple(samples[_WARM_UP:])


def _no_wait() -> None:
    """A call of the CPU has ended when it returns."""


def _moved(value: Any, backend: str) -> Any:
    return value.to(backend) if isinstance(value, torch.Tensor) else value


def measured_table(figures: Sequence[MeasuredFigures]) -> str:
    """The figures as people read them.

    >>> run = measured("mlp", (100.0,) * 8, "cpu")
    >>> print(measured_table([MeasuredFigures("O2", "cpu", 100.0, 0.04, 8, 120.0, 0.99999, run)]))
    backend  level    median us  spread  calls  times faster than eager      PCC
    cpu      O2           100.0    4.0%      8                     1.20  0.99999
    >>> times = {"eager": 120.0, "graph": 80.0}
    >>> ours = MeasuredFigures("O2", "cuda", 50.0, 0.04, 8, 120.0, 0.99999, run, times, "NVIDIA H200")
    >>> print(measured_table([ours]).split("backend")[0])
    on NVIDIA H200
    torch            median us
    eager                120.0
    graph                 80.0
    tilesmith, of torch's best: O2 1.60 times as fast
    <BLANKLINE>
    """
    lines = [*_beside_torch(figures)]
    lines.append("backend  level    median us  spread  calls  times faster than eager      PCC")
    for line in figures:
        faster = line.eager_us / line.median_us if line.median_us else 1.0
        lines.append(
            f"{line.backend:7}  {line.level:5}  {line.median_us:11,.1f}  {line.spread:6.1%}  {line.calls:5}"
            f"  {faster:23.2f}  {line.pcc:.5f}"
        )
    return "\n".join(lines)


def _beside_torch(figures: Sequence[MeasuredFigures]) -> Iterator[str]:
    """What torch's ways take on the same GPU, and how the levels compare with the best of them."""
    if not figures or not figures[0].torch_us:
        return
    ways = figures[0].torch_us
    yield f"on {figures[0].device}"
    yield "torch            median us"
    for way, us in ways.items():
        yield f"{way:15}  {us:9,.1f}" if us == us else f"{way:15}  does not run"
    best = min(us for us in ways.values() if us == us)
    faster = ", ".join(f"{line.level} {best / line.median_us:.2f}" for line in figures)
    yield f"tilesmith, of torch's best: {faster} times as fast"
