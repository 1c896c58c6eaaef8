"""CUDA graphs of a model: recorded once, then replayed with one call.

A graph reads its inputs and writes its results where it did when it was recorded. Inputs that come from the
same place again are read there; once they have moved a few times they are copied to memory of the graph's.
Results are handed out as they are, and a graph whose results somebody still holds is not replayed: another
one, with memory of its own for them, is. When all are held, results of the last are copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from threading import Lock
from typing import Any

import torch

from tilesmith.models.backends.cuda.runner import Runner
from tilesmith.models.backends.cuda.values import moved
from tilesmith.models.capture.tensor_watch import Aliases, StorageWatch

MOST_GRAPHS = 3
# Two recordings at once disturb each other, also of different models.
_RECORDING = Lock()


@dataclass(slots=True)
class Recorded:
    """A graph with its inputs, its results, and what tells whether these are held by anybody else."""

    graph: Any
    copied: tuple[tuple[int, torch.Tensor], ...]
    """Inputs by their place, and where the graph reads them."""
    in_place: tuple[int, ...]
    addresses: list[int]
    outputs: list[Any]
    held: StorageWatch
    aliases: Aliases

    def takes(self, inputs: Sequence[Any]) -> bool:
        """Whether the inputs that are not copied are where the graph reads them."""
        given = itemgetter(*self.in_place)(inputs) if len(self.in_place) > 1 else (inputs[self.in_place[0]],)
        return list(map(torch.Tensor.data_ptr, given)) == self.addresses

    def copy(self, inputs: Sequence[Any]) -> None:
        """Bring the other inputs to where the graph reads them, from wherever they are."""
        if len(self.copied) > 4:
            given = [moved(inputs[place], static.device) for place, static in self.copied]
            torch._foreach_copy_([static for _, static in self.copied], given)
        else:
            for place, static in self.copied:
                static.copy_(inputs[place])


class Graphs:
    """The graphs of one model and set of shapes."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._graphs: list[Recorded] = []
        self._pool: Any = None
        self._last: dict[int, int] = {}
        self._inputs_move = False

    def __iter__(self) -> Iterator[Recorded]:
        return iter(self._graphs)

    def free(self, inputs: Sequence[Any]) -> Recorded | None:
        """A graph for these inputs that nobody holds results of."""
        for recorded in self._graphs:
            if recorded.held.unchanged() and (not recorded.in_place or recorded.takes(inputs)):
                return recorded
        return None

    def run(self, found: Recorded, inputs: Sequence[Any]) -> list[Any]:
        """Results for inputs. It is called by the one thread that found the graph free."""
        if torch.is_grad_enabled():
            with torch.no_grad():
                found.copy(inputs)
        else:
            found.copy(inputs)
        found.graph.replay()
        if len(self._graphs) == MOST_GRAPHS and found is self._graphs[-1]:
            return [one.detach().clone() if isinstance(one, torch.Tensor) else one for one in found.outputs]
        return found.aliases()

    def record(self, inputs: Sequence[Any]) -> Recorded:
        """Another graph, for inputs like these; raises what the recording raised, if there can be none."""
        if len(self._graphs) == MOST_GRAPHS:  # the last is never held: inputs moved
            self._graphs.clear()
            self._inputs_move = True
        with _RECORDING:
            recorded = self._record(inputs)
        self._graphs.append(recorded)
        return recorded

    def note(self, inputs: Sequence[Any]) -> dict[int, int]:
        """Where the inputs are that a graph may read there."""
        on_gpu = {
            place: tensor
            for place, tensor in enumerate(inputs)
            if isinstance(tensor, torch.Tensor) and tensor.device == self._runner.device
        }
        self._last = {} if self._inputs_move else {at: tensor.data_ptr() for at, tensor in on_gpu.items()}
        return self._last

    def _record(self, inputs: Sequence[Any]) -> Recorded:
        runner, before = self._runner, self._last
        stay = {place: at for place, at in self.note(inputs).items() if before.get(place) == at}
        static = [self._static(value, place in stay) for place, value in enumerate(inputs)]
        own = runner.own_memory()
        runner.run(static, own)  # libraries want to be called once by each thread before they are recorded
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
            outputs = runner.run(static, own)
        self._pool = self._pool or graph.pool()
        tensors = {place: value for place, value in enumerate(static) if isinstance(value, torch.Tensor)}
        copied = tuple((place, value) for place, value in tensors.items() if place not in stay)
        del own, static, tensors
        held = StorageWatch([one for one in outputs if isinstance(one, torch.Tensor)])
        return Recorded(graph, copied, tuple(stay), list(stay.values()), outputs, held, Aliases(outputs))

    def _static(self, value: Any, stays: bool) -> Any:
        """What a graph reads for an input: where it is, or a copy."""
        if not isinstance(value, torch.Tensor):
            return value
        return value.detach() if stays else moved(value.detach(), self._runner.device).clone()
