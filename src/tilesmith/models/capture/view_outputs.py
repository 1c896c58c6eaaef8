"""Outputs that are views of one tensor share its memory, as in PyTorch: a write to one shows in others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from operator import getitem
from typing import Any

from torch.fx import GraphModule, Node

from tilesmith.models.capture.output_strides import Strides, laid_out, strides_of
from tilesmith.models.executable import Executable


def with_shared_views(module: GraphModule, compile_graph: Callable[[GraphModule], Executable]) -> Executable:
    """Compile a graph that returns each tensor once; views of it are taken of what comes back."""
    last = next(node for node in reversed(module.graph.nodes) if node.op == "output")
    outputs: Sequence[Any] = last.args[0]  # AOTAutograd's graphs return a tuple
    chains = [_chain(output) if isinstance(output, Node) else [output] for output in outputs]
    shared = Counter(chain[0] for chain in chains if isinstance(chain[0], Node))
    chains = [
        chain if isinstance(chain[0], Node) and shared[chain[0]] > 1 else [output]
        for chain, output in zip(chains, outputs, strict=True)
    ]
    if all(len(chain) == 1 for chain in chains):
        return compile_graph(module)
    last.args = (tuple(chain[0] for chain in chains),)
    module.graph.eliminate_dead_code()
    module.recompile()
    strides = [strides_of(chain[0]) for chain in chains]
    return _SharedViews(compile_graph(module), [chain[1:] for chain in chains], strides)


def _chain(node: Node) -> list[Node]:
    """The tensor that a view looks at, then the views taken of it, one after another."""
    chain = [node]
    while _is_view(chain[0]):
        chain.insert(0, chain[0].all_input_nodes[0])
    computed = chain[0].op == "call_function" and strides_of(chain[0]) is not None
    return chain if computed else [node]


def _is_view(node: Node) -> bool:
    """Whether a node gives a view of its only tensor, or one of the list that a split gives."""
    if node.target is getitem:
        return _gives_views(node.all_input_nodes[0])
    return _gives_views(node)


def _gives_views(node: Node) -> bool:
    """Whether a node looks at its only tensor in one way or several, with numbers that are known."""
    schema = getattr(node.target, "_schema", None)
    if node.op != "call_function" or schema is None or schema.is_mutable or len(schema.returns) != 1:
        return False
    is_alias = schema.returns[0].alias_info is not None
    return is_alias and len(node.all_input_nodes) == 1 and node.args[0] is node.all_input_nodes[0]


class _SharedViews(Executable):
    def __init__(
        self, compiled: Executable, views: Sequence[Sequence[Node]], strides: Sequence[Strides]
    ) -> None:
        self.report = compiled.report
        self._strides = strides
        self._compiled = compiled
        self._views = views

    @property
    def is_closed(self) -> bool:
        return self._compiled.is_closed

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        results = laid_out(self._compiled.run(inputs), self._strides, inputs)
        return [_viewed(result, views) for result, views in zip(results, self._views, strict=True)]


def _viewed(result: Any, views: Sequence[Node]) -> Any:
    for view in views:
        assert callable(view.target)
        result = view.target(result, *view.args[1:], **view.kwargs)
    return result
