"""Compute at compile time what depends on no input of the model."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from tilesmith.models.passes.edit import changes_by_itself, insert_constant, runnable, tidy
from tilesmith.models.planning.plan import constants_of

# Larger ones are cheaper to make on the device than to bring there.
_LARGEST = 1 << 28


def fold_constants(module: GraphModule) -> None:
    """Nodes whose inputs are all known become tensors the graph carries with it."""
    known: dict[Node, Any] = dict(constants_of(module))
    given = set(known)
    for node in module.graph.nodes:
        if node.op == "call_function" and _is_known(node, known):
            args, kwargs = map_arg((node.args, node.kwargs), known.__getitem__)
            with torch.no_grad():
                known[node] = runnable(node.target)(*args, **kwargs)
    for node, value in known.items():
        if (
            node not in given
            and isinstance(value, torch.Tensor)
            and any(user not in known for user in node.users)
        ):
            node.replace_all_uses_with(insert_constant(module, node, value.contiguous()))
    tidy(module)


def _is_known(node: Node, known: dict[Node, Any]) -> bool:
    if changes_by_itself(node):
        return False
    value = node.meta.get("val")
    if isinstance(value, torch.Tensor) and value.numel() > _LARGEST:
        return False
    return all(source in known for source in node.all_input_nodes)
