"""Which passes run over the graph of a model: one strategy for each backend, and yours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from torch.fx import GraphModule

from tilesmith.models.options import ModelOptions
from tilesmith.models.passes.pipeline import FOR_TENSTORRENT, optimise

__all__ = ["HostStrategy", "OptimizationStrategy", "TenstorrentStrategy"]


class OptimizationStrategy(ABC):
    """Changes the graph of a model before a backend takes it: `CompilerConfig(strategy=...)`.

    The graph is one of ATen operators that torch can run, before and after; every node knows the shape of its
    value as `node.meta["val"]`.

    >>> class Untouched(OptimizationStrategy):
    ...     def optimize(self, graph):
    ...         return graph
    """

    @abstractmethod
    def optimize(self, graph: GraphModule) -> GraphModule:
        """The graph to go on with: the same one, changed, or another."""


@dataclass(frozen=True)
class TenstorrentStrategy(OptimizationStrategy):
    """What the backend "tenstorrent" does to every graph.

    >>> isinstance(TenstorrentStrategy(), OptimizationStrategy)
    True
    """

    options: ModelOptions = field(default_factory=ModelOptions)

    def optimize(self, graph: GraphModule) -> GraphModule:
        optimise(graph, self.options, FOR_TENSTORRENT)
        return graph


@dataclass(frozen=True)
class HostStrategy(OptimizationStrategy):
    """What the backend "cpu" does to every graph."""

    options: ModelOptions = field(default_factory=ModelOptions)

    def optimize(self, graph: GraphModule) -> GraphModule:
        optimise(graph, self.options)
        return graph
