"""A model on a backend of this host, measured: medians of calls, their spread, and eager torch beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import Any

import torch

from tilesmith.errors import BadCallError
from tilesmith.models.compiled_model import compile_model
from tilesmith.profiling.runs.figures import RunFigures, measured
from tilesmith.progress import tracked
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

    def to_json(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "backend": self.backend,
            "median_us": self.median_us,
            "spread": self.spread,
            "calls": self.calls,
            "eager_us": self.eager_us,
            "pcc": self.pcc,
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
        return [
            _level(model, inputs, backend, level, calls, title, eager, wanted)
            for level in tracked(levels, "levels")
        ]


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
    """
    lines = ["backend  level    median us  spread  calls  times faster than eager      PCC"]
    for line in figures:
        faster = line.eager_us / line.median_us if line.median_us else 1.0
        lines.append(
            f"{line.backend:7}  {line.level:5}  {line.median_us:11,.1f}  {line.spread:6.1%}  {line.calls:5}"
            f"  {faster:23.2f}  {line.pcc:.5f}"
        )
    return "\n".join(lines)
