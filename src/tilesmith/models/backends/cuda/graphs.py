"""CUDA graphs of a model: recorded once, then replayed with one call.

A graph reads its inputs and writes its results where it did when it was recorded. Inputs are copied there.
Results are handed out as they are, and a graph whose results somebody still holds is not replayed: another
one, with memory of its own for them, is. When all are held, results of the last are copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tilesmith.models.backends.cuda.runner import Runner

MOST_GRAPHS = 3
# Inputs larger than this that come from the same place again are read there, not copied.
_LARGE = 1 << 20


@dataclass
class Recorded:
    """A graph with its inputs, its results, and what tells whether these are held by anybody else."""

    graph: Any
    inputs: list[Any]
    in_place: tuple[tuple[int, int], ...]
    outputs: list[Any]
    counts: tuple[tuple[int, int], ...]

    @property
    def is_free(self) -> bool:
        use = torch._C._storage_Use_Count
        return all(use(pointer) == count for pointer, count in self.counts)

    def takes(self, inputs: Sequence[Any]) -> bool:
        return all(inputs[place].data_ptr() == pointer for place, pointer in self.in_place)


class Graphs:
    """The graphs of one model and set of shapes."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._graphs: list[Recorded] = []
        self._pool: Any = None
        self._last: dict[int, int] = {}

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """Results for inputs on the GPU; raises what the recording raised, if it cannot be recorded."""
        found = self._free(inputs)
        for place, static in enumerate(found.inputs):
            if static is not None:
                static.copy_(inputs[place], non_blocking=True)
        found.graph.replay()
        if len(self._graphs) == MOST_GRAPHS and found is self._graphs[-1]:
            return [one.clone() if isinstance(one, torch.Tensor) else one for one in found.outputs]
        return [one.detach() if isinstance(one, torch.Tensor) else one for one in found.outputs]

    def _free(self, inputs: Sequence[Any]) -> Recorded:
        for recorded in self._graphs:
            if recorded.is_free and recorded.takes(inputs):
                return recorded
        if len(self._graphs) == MOST_GRAPHS:  # inputs that moved: they are copied from now on
            self._graphs.clear()
            self._last.clear()
        recorded = self._record(inputs)
        self._graphs.append(recorded)
        return recorded

    def _record(self, inputs: Sequence[Any]) -> Recorded:
        runner = self._runner
        in_place = tuple(
            (place, value.data_ptr())
            for place, value in enumerate(inputs)
            if _is_large(value) and self._last.get(place) == value.data_ptr()
        )
        self._last = {place: one.data_ptr() for place, one in enumerate(inputs) if _is_large(one)}
        stay = {place for place, _ in in_place}
        static = [
            value.detach() if place in stay or not isinstance(value, torch.Tensor) else value.detach().clone()
            for place, value in enumerate(inputs)
        ]
        own = runner.own_memory()
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
            outputs = runner.run(static, own)
        self._pool = self._pool or graph.pool()
        tensors = [one for one in outputs if isinstance(one, torch.Tensor)]
        del own
        copied = [
            value if place not in stay and isinstance(value, torch.Tensor) else None
            for place, value in enumerate(static)
        ]
        pointers = dict.fromkeys(one.untyped_storage()._cdata for one in tensors)
        del tensors
        counts = tuple((pointer, torch._C._storage_Use_Count(pointer)) for pointer in pointers)
        return Recorded(graph, copied, in_place, outputs, counts)


def _is_large(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() * value.element_size() > _LARGE
