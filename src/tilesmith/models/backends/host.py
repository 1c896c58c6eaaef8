"""Running single operators of a graph on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from tilesmith.errors import CollectiveError
from tilesmith.models.custom_ops.eager import on_host
from tilesmith.models.passes.edit import runnable
from tilesmith.models.planning.partition import is_collective
from tilesmith.models.planning.plan import attributes_of
from tilesmith.models.planning.source import source_of


class HostCalls:
    """The nodes of a graph, each callable with the values of the others."""

    def __init__(self, module: GraphModule) -> None:
        self._nodes: dict[str, Node] = {node.name: node for node in module.graph.nodes}
        self._graphs = {
            node.name: value
            for node, value in attributes_of(module).items()
            if not isinstance(value, torch.Tensor)
        }

    def call(self, name: str, values: Mapping[str, Any]) -> Any:
        """Run a node with torch."""
        node = self._nodes[name]
        args, kwargs = map_arg(
            (node.args, node.kwargs),
            lambda one: self._graphs[one.name] if one.name in self._graphs else values[one.name],
        )
        with torch.no_grad(), on_host():
            try:
                return _called(node, args, kwargs)
            except RuntimeError as error:
                if is_collective(node) and not isinstance(error, CollectiveError):
                    raise _left_alone(node, error) from error
                raise

    def dtype_of(self, name: str) -> torch.dtype:
        dtype: torch.dtype = self._nodes[name].meta["val"].dtype
        return dtype


def _called(node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if is_collective(node):
        from tilesmith.models.distributed.ordered import in_order

        summed = in_order(node.target, args)
        if summed is not None:
            return summed
    return runnable(node.target)(*args, **kwargs)


def _left_alone(node: Node, error: RuntimeError) -> CollectiveError:
    from tilesmith.models.distributed.left_alone import left_alone

    waited = next((source for source in node.all_input_nodes if is_collective(source)), node)
    return left_alone(str(waited.target), error, str(source_of([waited])))
