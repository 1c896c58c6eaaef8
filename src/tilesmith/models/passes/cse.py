"""Compute once what is computed twice from the same values."""

from __future__ import annotations

from typing import Any

from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import changes_by_itself, replace, tidy


def cse(module: GraphModule) -> None:
    """Equal calls of equal arguments become one."""
    seen: dict[Any, Node] = {}
    for node in list(module.graph.nodes):
        if node.op not in ("call_function", "get_attr") or changes_by_itself(node):
            continue
        key = (node.op, node.target, _frozen(node.args), _frozen(node.kwargs))
        if key in seen:
            replace(module, node, seen[key])
        else:
            seen[key] = node
    tidy(module)


def _frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return tuple((key, _frozen(one)) for key, one in value.items())
    return (type(value).__name__, repr(value) if isinstance(value, float) else value)  # -0.0 is not 0.0
