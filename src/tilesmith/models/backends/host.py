"""Running single operators of a graph on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from tilesmith.models.passes.edit import runnable


class HostCalls:
    """The nodes of a graph, each callable with the values of the others."""

    def __init__(self, module: GraphModule) -> None:
        self._nodes: dict[str, Node] = {node.name: node for node in module.graph.nodes}

    def call(self, name: str, values: Mapping[str, Any]) -> Any:
        """Run a node with torch."""
        node = self._nodes[name]
        args, kwargs = map_arg((node.args, node.kwargs), lambda one: values[one.name])
        with torch.no_grad():
            return runnable(node)(*args, **kwargs)

    def dtype_of(self, name: str) -> torch.dtype:
        dtype: torch.dtype = self._nodes[name].meta["val"].dtype
        return dtype
