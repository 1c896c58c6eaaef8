"""Running one operator by itself: a graph of one call, compiled once for each set of shapes."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, GraphModule
from torch.utils import _pytree as pytree

_executables: dict[Any, Any] = {}


def run_single(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """What an operator gives for these arguments, and the report of how it was compiled."""
    leaves, spec = pytree.tree_flatten((args, kwargs))
    key = (target, spec, *map(_described, leaves))
    if key not in _executables or _executables[key][0].device.is_closed:
        _executables[key] = _compile(target, leaves, spec)
    executable, out_spec = _executables[key]
    results = executable.run([leaf for leaf in leaves if isinstance(leaf, torch.Tensor)])
    return pytree.tree_unflatten(results, out_spec), executable.report


def _described(leaf: Any) -> Any:
    if isinstance(leaf, torch.Tensor):
        return "tensor", tuple(leaf.shape), leaf.dtype
    return type(leaf), leaf if leaf.__hash__ is not None else repr(leaf)


def _compile(target: Any, leaves: list[Any], spec: Any) -> tuple[Any, Any]:
    from tilesmith.models.backends import Backend
    from tilesmith.models.options import ModelOptions

    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    wide = all(one.dtype == torch.float32 for one in tensors if one.is_floating_point())
    options = ModelOptions(precision="float32" if wide else "bfloat16")
    module, out_spec = _graph_of(target, leaves, spec)
    return Backend.create("tenstorrent", options).compile(module, tensors), out_spec


def _graph_of(target: Any, leaves: list[Any], spec: Any) -> tuple[GraphModule, Any]:
    """A graph that calls the operator, every tensor an input, and how its results are arranged."""
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
    outputs, out_spec = _results(graph, called)
    graph.output(outputs)
    return GraphModule(torch.nn.Module(), graph), out_spec


def _results(graph: Graph, called: Any) -> tuple[tuple[Any, ...], Any]:
    made = called.meta["val"]
    if isinstance(made, torch.Tensor):
        return (called,), pytree.tree_structure(0)
    parts = []
    for number, value in enumerate(made):
        part = graph.call_function(operator.getitem, (called, number))
        part.meta["val"] = value
        parts.append(part if isinstance(value, torch.Tensor) else value)
    return tuple(parts), pytree.tree_structure(tuple(parts))
