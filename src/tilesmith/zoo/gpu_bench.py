"""The ways to run a model on an NVIDIA GPU, timed: torch's own, and the backend "cuda"."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import nan
from statistics import median
from typing import TYPE_CHECKING, Any

import torch

from tilesmith.progress import tracked

if TYPE_CHECKING:
    from tilesmith.models.compiled_model import CompiledModel

TORCH = ("eager", "graph", "default", "reduce-overhead", "max-autotune")
"""Eager, as a CUDA graph, and the modes of torch.compile."""


class OurCall:
    """A compiled model with its inputs, as something to call."""

    def __init__(self, model: CompiledModel, inputs: Sequence[Any]) -> None:
        self.model = model
        self._inputs = inputs

    def __call__(self) -> Any:
        return self.model(*self._inputs)


def way_of(way: str, model: torch.nn.Module, inputs: Sequence[Any]) -> Callable[[], Any]:
    """Something to call that runs a model once: a level of ours, or a way of torch."""
    if way.startswith("O"):
        from tilesmith.models.compiled_model import compile_model  # torch's ways go without

        return OurCall(compile_model(model, "cuda", way), inputs)
    if way == "eager":
        return lambda: model(*inputs)
    if way == "graph":
        return recorded(lambda: model(*inputs)).replay
    compiled = torch.compile(model, mode=None if way == "default" else way)
    return lambda: compiled(*inputs)


def torch_times(
    model: torch.nn.Module,
    inputs: Sequence[Any],
    timed: Callable[[Callable[[], Any]], float],
    ways: Sequence[str] = TORCH,
) -> dict[str, float]:
    """What a clock says of each way of torch; not a number for one that does not run the model."""
    found = {}
    for way in tracked(ways, "ways of torch"):
        torch._dynamo.reset()
        try:
            run = way_of(way, model, inputs)
            run()
            found[way] = timed(run)
        except RuntimeError:
            torch.cuda.synchronize()
            found[way] = nan
    return found


def recorded(run: Callable[[], Any], times: int = 1) -> torch.cuda.CUDAGraph:
    """Several calls as one CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(times):
            run()
    return graph


def milliseconds(run: Callable[[], Any], seconds: float = 0.6, each_round: float = 0.03) -> float:
    """The median of rounds of calls, each round between two events."""
    for _ in range(5):
        run()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(5):
        run()
    torch.cuda.synchronize()
    each = (time.perf_counter() - begin) / 5
    calls = max(2, int(each_round / max(each, 1e-6)))
    times = []
    for _ in range(max(5, int(seconds / (calls * each)))):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / calls)
    return float(median(times))
