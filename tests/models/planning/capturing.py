"""Small models as graphs, and what the passes make of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule

from tilesmith.models.capture.fx import export
from tilesmith.models.planning.fusion import operator_name


class Applied(torch.nn.Module):
    """A function as a model; tensors it names are its weights."""

    def __init__(self, function: Callable[..., Any], **weights: torch.Tensor) -> None:
        super().__init__()
        self.function = function
        self.names = tuple(weights)
        for name, value in weights.items():
            self.register_buffer(name, value)

    def forward(self, *args: torch.Tensor) -> Any:
        return self.function(*args, **{name: getattr(self, name) for name in self.names})


def captured(function: Callable[..., Any], *args: torch.Tensor, **weights: torch.Tensor) -> GraphModule:
    return export(Applied(function, **weights), args).module


def operators(module: GraphModule) -> Counter[str]:
    return Counter(operator_name(node) for node in module.graph.nodes if node.op == "call_function")


def same_after(one: Callable[[GraphModule], None], module: GraphModule, *args: torch.Tensor) -> Counter[str]:
    """Run a pass; the graph must still compute the same. What is left, by operator."""
    with torch.no_grad():
        before = module(*args)
        one(module)
        after = module(*args)
    for old, new in zip(before, after, strict=True):
        torch.testing.assert_close(new, old, atol=2e-5, rtol=2e-5)
    return operators(module)
