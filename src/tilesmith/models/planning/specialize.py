"""A graph with sizes left open -> the same graph for the sizes of given inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
)
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_arg
from torch.utils import _pytree as pytree

from tilesmith.errors import CaptureError
from tilesmith.models.passes.edit import tidy

_CHECKS = {
    torch.ops.aten._assert_scalar.default,
    torch.ops.aten.sym_constrain_range.default,
    torch.ops.aten.sym_constrain_range_for_size.default,
    torch._check,
}
OPEN_SIZES = "open sizes"
"""In the meta of a graph: it comes from one that serves many sizes, so its kernels should too."""


def specialise(module: GraphModule, inputs: Sequence[Any]) -> GraphModule:
    """Sizes become numbers, and nodes know the shapes of their values. A graph without open sizes is kept."""
    _drop_checks(module)
    if not any(_is_open(node.meta.get("val")) for node in module.graph.nodes):
        return module
    mode = FakeTensorMode()
    given = iter(inputs)
    graph = Graph()
    known: dict[Node, Node] = {}
    values: dict[Node, Any] = {}
    for node in module.graph.nodes:
        if node.op == "placeholder":
            value = next(given)
            values[node] = mode.from_tensor(value) if isinstance(value, torch.Tensor) else value
        elif node.op == "get_attr":
            values[node] = mode.from_tensor(getattr(module, str(node.target)), static_shapes=True)
        elif node.op == "call_function":
            values[node] = _value(node, values, mode, module)
            if isinstance(values[node], int | float | bool | torch.SymInt):
                continue  # a size: those who use it get the number
        copy = graph.node_copy(node, lambda one: known[one] if one in known else values[one])
        copy.meta = {**node.meta, "val": values.get(node)}
        if not isinstance(values.get(node), int | float | bool):  # those who use a number get it itself
            known[node] = copy
    specialized = GraphModule(module, graph)
    specialized.meta[OPEN_SIZES] = True
    return specialized


def _drop_checks(module: GraphModule) -> None:
    """Numbers that a model reads only to check them are not read: no result depends on them."""
    checks = [node for node in module.graph.nodes if node.target in _CHECKS]
    for node in checks:
        module.graph.erase_node(node)
    if checks:
        tidy(module)


def _value(node: Node, values: dict[Node, Any], mode: FakeTensorMode, module: GraphModule) -> Any:
    """What a node gives for tensors that have a shape and no values; numbers of constants are read."""
    args, kwargs = map_arg((node.args, node.kwargs), values.__getitem__)
    assert callable(node.target)
    try:
        with mode:
            return node.target(*args, **kwargs)
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        if all(_is_constant(source) for source in node.all_input_nodes):
            return pytree.tree_map_only(torch.Tensor, mode.from_tensor, _computed(node, module))
        raise CaptureError(
            f"the model computes sizes from the values of its inputs, with {node.target}",
            remedy="give the sizes as numbers, or compile the parts before and after",
        ) from error


def _is_constant(node: Node) -> bool:
    """Whether a value depends on no input of the model."""
    return node.op == "get_attr" or (
        node.op == "call_function" and all(map(_is_constant, node.all_input_nodes))
    )


def _computed(node: Node, module: GraphModule) -> Any:
    """The value of a node that depends on constants alone."""
    if node.op == "get_attr":
        return getattr(module, str(node.target))
    args, kwargs = map_arg((node.args, node.kwargs), lambda one: _computed(one, module))
    assert callable(node.target)
    with torch.no_grad():
        return node.target(*args, **kwargs)


def copied(module: GraphModule) -> GraphModule:
    """A graph of its own on the same tensors."""
    graph = Graph()
    known: dict[Node, Node] = {}
    graph.output(graph.graph_copy(module.graph, known))
    for old, new in known.items():
        new.meta = dict(old.meta)
    copy = GraphModule(module, graph)
    copy.meta = dict(module.meta)
    return copy


def _is_open(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return any(isinstance(size, torch.SymInt) for size in value.shape)
    return isinstance(value, torch.SymInt)
