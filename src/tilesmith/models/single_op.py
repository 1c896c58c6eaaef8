"""Running one operator by itself: a graph of one call, compiled once for each set of shapes."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, GraphModule
from torch.utils import _pytree as pytree

from tilesmith.models.executable import Executable
from tilesmith.models.executable_cache import ExecutableCache, signature

_executables = ExecutableCache()


def run_single(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """What an operator gives for these arguments, and the report of how it was compiled."""
    leaves, spec = pytree.tree_flatten((args, kwargs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    executable = _executables.get(
        (target, spec, signature(leaves)), lambda: _compile(target, leaves, spec), True
    )
    results = executable.run(tensors)
    single = len(target._schema.returns) == 1 and isinstance(target._schema.returns[0].type, torch.TensorType)
    return results[0] if single else tuple(results), executable.report


def _compile(target: Any, leaves: list[Any], spec: Any) -> Executable:
    from tilesmith.models.backends import Backend
    from tilesmith.models.options import ModelOptions

    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    wide = all(one.dtype == torch.float32 for one in tensors if one.is_floating_point())
    options = ModelOptions(precision="float32" if wide else "bfloat16")
    return Backend.create("tenstorrent", options).compile(_graph_of(target, leaves, spec), tensors)


def _graph_of(target: Any, leaves: list[Any], spec: Any) -> GraphModule:
    """A graph that calls the operator, every tensor an input."""
    graph, mode = Graph(), FakeTensorMode()
    nodes, values = [], []
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, torch.Tensor):
            node = graph.placeholder(f"input{number}")
            node.meta["val"] = mode.from_tensor(leaf.detach(), static_shapes=True)
            nodes.append(node)
            values.append(node.meta["val"])
        else:
            nodes.append(leaf)
            values.append(leaf)
    called = graph.call_function(target, *pytree.tree_unflatten(nodes, spec))
    args, kwargs = pytree.tree_unflatten(values, spec)
    with mode:
        called.meta["val"] = target(*args, **kwargs)
    graph.output(_results(graph, called))
    return GraphModule(torch.nn.Module(), graph)


def _results(graph: Graph, called: Any) -> tuple[Any, ...]:
    value = called.meta["val"]
    if isinstance(value, torch.Tensor):
        return (called,)
    results = []
    for number, result in enumerate(value):
        item = graph.call_function(operator.getitem, (called, number))
        item.meta["val"] = result
        results.append(item if isinstance(result, torch.Tensor) else result)
    return tuple(results)
