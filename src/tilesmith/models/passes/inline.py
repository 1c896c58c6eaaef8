"""The graph of a function in the place of a node."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import map_arg

from tilesmith.models.passes.edit import keep_place

DECOMPOSED = "decomposed"
"""In the meta of a node: we wrote it, so that its dtype says how exact a kernel must be, and no more."""


def expand(module: GraphModule, node: Node, function: Callable[..., Any]) -> None:
    """Replace a node by what a function of the same arguments computes, operator by operator."""
    inner = _traced(node, function)
    sources = iter(node.all_input_nodes)
    known: dict[Node, Any] = {}
    outputs: Any = None
    with module.graph.inserting_before(node):
        for inner_node in inner.graph.nodes:
            if inner_node.op == "placeholder":
                known[inner_node] = next(sources)
            elif inner_node.op == "output":
                outputs = map_arg(inner_node.args[0], known.__getitem__)
            else:
                known[inner_node] = copy = _copied(module, inner, inner_node, known)
                copy.meta.pop("stack_trace", None)  # of the function's own lines
                keep_place(copy, node)
    _replace(node, outputs)
    module.graph.erase_node(node)


def _traced(node: Node, function: Callable[..., Any]) -> GraphModule:
    sources = node.all_input_nodes
    values = [source.meta["val"] for source in sources]

    def on_tensors(*tensors: torch.Tensor) -> Any:
        given = dict(zip(sources, tensors, strict=True))
        args, kwargs = map_arg((node.args, node.kwargs), given.__getitem__)
        return function(*args, **kwargs)

    with torch.no_grad(), values[0].fake_mode:
        traced: GraphModule = make_fx(on_tensors)(*values)
    return traced


def _copied(module: GraphModule, inner: GraphModule, node: Node, known: dict[Node, Any]) -> Node:
    if node.op == "get_attr":
        name = f"expanded_{len(list(module.buffers()))}"
        module.register_buffer(name, getattr(inner, str(node.target)), persistent=False)
        copy = module.graph.get_attr(name)
    else:
        copy = module.graph.node_copy(node, known.__getitem__)
    copy.meta = {**node.meta, DECOMPOSED: True}
    return copy


def _replace(node: Node, outputs: Any) -> None:
    """Those who took a part of the result get the node that makes it."""
    if isinstance(outputs, Node):
        node.replace_all_uses_with(outputs)
        return
    for user in list(node.users):
        assert user.target is operator.getitem
        user.replace_all_uses_with(outputs[user.args[1]])
        user.graph.erase_node(user)
