"""Running one operator by itself: a graph of one node, compiled once for each set of shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, GraphModule

_executables: dict[Any, Any] = {}


def launched(name: str, reference: Callable[..., Any], *args: Any) -> Any:
    """What an operator of tilesmith gives for these arguments; `reference` computes it with torch."""
    tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
    if any(one.dtype == torch.float64 for one in tensors):
        return reference(*args)
    operator = getattr(torch.ops.tilesmith, name).default
    key = (name, *(_described(arg) for arg in args))
    if key not in _executables or _executables[key].device.is_closed:
        _executables[key] = _compile(operator, args)
    results = _executables[key].run(tensors)
    return results[0] if len(operator._schema.returns) == 1 else tuple(results)


def _described(arg: Any) -> Any:
    return (tuple(arg.shape), arg.dtype) if isinstance(arg, torch.Tensor) else arg


def _compile(operator: Any, args: tuple[Any, ...]) -> Any:
    from tilesmith.backends import Backend
    from tilesmith.graph.options import ModelOptions

    tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
    wide = all(one.dtype == torch.float32 for one in tensors)
    options = ModelOptions(precision="float32" if wide else "bfloat16")
    return Backend.create("tenstorrent", options).compile(_graph_of(operator, args), tensors)


def _graph_of(operator: Any, args: tuple[Any, ...]) -> GraphModule:
    """A graph that calls the operator, every tensor an input."""
    graph, mode = Graph(), FakeTensorMode()
    nodes, values = [], []
    for number, arg in enumerate(args):
        if isinstance(arg, torch.Tensor):
            value = mode.from_tensor(arg.detach(), static_shapes=True)
            node = graph.placeholder(f"input{number}")
            node.meta["val"] = value
            nodes.append(node)
            values.append(value)
        else:
            nodes.append(arg)
            values.append(arg)
    called = graph.call_function(operator, tuple(nodes))
    with mode:
        called.meta["val"] = operator(*values)
    graph.output(_results(graph, called))
    return GraphModule(torch.nn.Module(), graph)


def _results(graph: Graph, called: Any) -> tuple[Any, ...]:
    import operator

    made = called.meta["val"]
    if isinstance(made, torch.Tensor):
        return (called,)
    parts = []
    for number, value in enumerate(made):
        part = graph.call_function(operator.getitem, (called, number))
        part.meta["val"] = value
        parts.append(part)
    return tuple(parts)
