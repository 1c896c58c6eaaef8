"""Compute once what is computed twice from the same values."""

from __future__ import annotations

from typing import Any

from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import replace, tidy


def share_common(module: GraphModule) -> None:
    """Equal calls of equal arguments become one."""
    seen: dict[Any, Node] = {}
    for node in list(module.graph.nodes):
        if node.op not in ("call_function", "get_attr") or _draws(node):
            continue
        key = (node.op, node.target, _frozen(node.args), _frozen(node.kwargs))
        if key in seen:
            replace(module, node, seen[key])
        else:
            seen[key] = node
    tidy(module)


def _draws(node: Node) -> bool:
    schema = getattr(node.target, "_schema", None)
    tags = getattr(node.target, "tags", ())
    return any(str(tag).endswith("nondeterministic_seeded") for tag in tags) or bool(
        schema and schema.is_mutable
    )


def _frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return tuple((key, _frozen(one)) for key, one in value.items())
    return (type(value).__name__, value)
