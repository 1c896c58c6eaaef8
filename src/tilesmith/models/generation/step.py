"""One forward call of generation as a graph whose inputs are tensors: those of the call, and of the cache."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree

from tilesmith.errors import BadCallError
from tilesmith.models.backends import Backend, Executable
from tilesmith.models.backends.base import ONE_AT_A_TIME
from tilesmith.models.capture.fx import Captured, export
from tilesmith.models.executable_cache import ExecutableCache, signature
from tilesmith.models.generation.cache_tree import Structure, assign, flatten, restore
from tilesmith.models.generation.choice import Choice, as_logits, choose, texts_of_one_token
from tilesmith.models.generation.state import DeviceState, mark_residents, writes_in_place
from tilesmith.models.generation.static_cache import initialise
from tilesmith.models.planning.specialize import copied, specialise
from tilesmith.models.strategy import OptimizationStrategy

CACHE_NAMES = ("past_key_values", "cache_params")


@dataclass
class _Outcome:
    """What a traced call gave besides tensors: the class of its output, and the cache afterwards."""

    output: type | None = None
    structure: Structure | None = None
    kept: list[int | None] = field(default_factory=list)
    """For each tensor of the cache which of those before the call it is, if it is one of them."""
    hands_out: bool = True
    """Whether the cache is in the output: otherwise modules keep what they know, where no graph sees it."""
    width: int = 0
    """How many tokens there were to choose from, where the graph chooses."""


class _Functional(torch.nn.Module):
    """A model as a function of the tensors of its arguments and of its cache."""

    def __init__(
        self,
        model: torch.nn.Module,
        spec: Any,
        plain: Sequence[Any],
        cache: Structure,
        chooses: Sequence[bool] | None,
    ) -> None:
        super().__init__()
        self.model = model
        self._spec, self._plain, self._cache, self._chooses = spec, plain, cache, chooses
        self.outcome = _Outcome()

    def forward(self, tensors: list[torch.Tensor], state: list[torch.Tensor]) -> Any:
        given = iter(tensors)
        leaves = [next(given) if leaf is _TENSOR else leaf for leaf in self._plain]
        cache = restore(self._cache, state)
        output = self.model(**pytree.tree_unflatten(leaves, self._spec), **{_cache_name(self.model): cache})
        after, structure = flatten(cache)
        places = {id(tensor): place for place, tensor in enumerate(state)}
        kept = [places.get(id(tensor)) for tensor in after]
        self.outcome.output, self.outcome.structure, self.outcome.kept = type(output), structure, kept
        self.outcome.hands_out = any(name in output for name in CACHE_NAMES)
        results = {name: value for name, value in output.items() if name not in CACHE_NAMES}
        if self._chooses is not None:
            self.outcome.width = choose(results, self._chooses, given)
        return results, [tensor for tensor, place in zip(after, kept, strict=True) if place is None]


_TENSOR = object()


@dataclass(frozen=True)
class _Graph:
    functional: _Functional
    captured: Captured
    executables: ExecutableCache = field(default_factory=ExecutableCache)


class ForwardStep:
    """Forward calls of a model that take a cache: captured and compiled once for each set of shapes."""

    def __init__(
        self, model: torch.nn.Module, backend: Backend, strategy: OptimizationStrategy | None = None
    ) -> None:
        self._model, self._backend, self._strategy = model, backend, strategy
        self._graphs: dict[Any, _Graph] = {}
        self.last: Executable | None = None
        self.state = DeviceState()
        self.choice: Choice | None = None
        """How graphs for one token choose the next, if they do."""

    @property
    def graphs(self) -> int:
        """How many graphs were compiled."""
        return sum(len(graph.executables) for graph in self._graphs.values())

    def __call__(self, kwargs: Mapping[str, Any]) -> Any:
        rest = dict(kwargs)
        name = _cache_name(self._model)
        cache = rest.pop(name)
        resident = self._backend.keeps_state and self.state.holds(cache)
        if resident:
            initialise(self._model, cache, name, rest)
        in_place = writes_in_place(cache, rest)
        leaves, spec = pytree.tree_flatten(rest)
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        plain = [_TENSOR if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        state, structure = flatten(cache)
        texts = texts_of_one_token(rest)
        choice = self.choice if texts else None
        tensors += choice.tensors(texts) if choice else []
        with ONE_AT_A_TIME:
            graph = self._graph(tensors, state, spec, plain, structure, choice.steps if choice else None)
            kept = [self.state.resident(tensor) for tensor in state] if resident else state
            flat = graph.captured.flatten((tensors, kept), {})
            inputs = [*flat, *graph.captured.buffers_of(graph.functional)]
            key = (signature(flat), in_place)
            executable = graph.executables.get(key, lambda: self._compiled(graph, inputs, in_place), True)
        self.last = executable
        return self._deliver(graph, executable, inputs, cache, state)

    def _graph(
        self,
        tensors: list[Any],
        state: list[Any],
        spec: Any,
        plain: list[Any],
        structure: Structure,
        chooses: Sequence[bool] | None,
    ) -> _Graph:
        key = (signature(tensors), signature(state), spec, signature(plain), structure, chooses)
        if key not in self._graphs:
            functional = _Functional(self._model, spec, plain, structure, chooses)
            captured = export(functional, (tensors, state))
            if not functional.outcome.hands_out:
                raise BadCallError(
                    f"{type(self._model).__name__} gives no cache back: its modules keep their state",
                    where="CompiledModel.generate",
                    remedy="call `generate` of the model itself",
                )
            self._graphs[key] = _Graph(functional, captured)
        return self._graphs[key]

    def _compiled(self, graph: _Graph, inputs: Sequence[Any], in_place: bool) -> Executable:
        for number, value in enumerate(inputs):
            self._backend.check_input(number, value)
        module = specialise(copied(graph.captured.module), inputs)
        mark_residents(module, graph.captured, inputs, in_place)
        if self._strategy is not None:
            module = self._strategy.optimize(module)
        return self._backend.compile(module, inputs)

    def _deliver(
        self, graph: _Graph, executable: Executable, inputs: list[Any], cache: Any, state: list[Any]
    ) -> Any:
        """The output of the call, and the cache as the call leaves it."""
        flat = inputs[: len(graph.captured.inputs)]
        outputs = executable.run(inputs)
        with torch.no_grad():
            results, fresh = graph.captured.deliver(outputs, inputs[len(flat) :], flat)
        outcome, new = graph.functional.outcome, iter(fresh)
        assert outcome.structure is not None
        assert outcome.output is not None
        after = [next(new) if place is None else state[place] for place in outcome.kept]
        assign(cache, outcome.structure, after)
        if outcome.width:
            as_logits(results, outcome.width)
        return outcome.output(**results, **{_cache_name(self._model): cache})


def _cache_name(model: torch.nn.Module) -> str:
    """What the argument is called that transformers gives the cache as."""
    taken = inspect.signature(model.forward).parameters
    return next((name for name in CACHE_NAMES if name in taken), CACHE_NAMES[0])
