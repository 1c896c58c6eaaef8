"""Running single operators of a graph on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from tilesmith.models.custom_ops.eager import on_host
from tilesmith.models.passes.edit import runnable
from tilesmith.models.planning.plan import attributes_of


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
            return runnable(node.target)(*args, **kwargs)

    def dtype_of(self, name: str) -> torch.dtype:
        dtype: torch.dtype = self._nodes[name].meta["val"].dtype
        return dtype
