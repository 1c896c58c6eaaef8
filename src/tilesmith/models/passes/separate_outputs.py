"""Results that a model returns as tensors of their own stay so, however many copies the passes drop."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, recompile

aten = torch.ops.aten

# They give their argument itself, a view of it, or a copy, as its strides will have it.
_MAY_COPY = {aten.reshape.default, aten.contiguous.default, aten.to.dtype, aten._unsafe_view.default}


def owners(module: GraphModule) -> list[Node | None]:
    """For each output the input or constant whose memory it shares, or the node that makes it."""
    return [_owner(one, sharing=False) if isinstance(one, Node) else None for one in _outputs(module)]


def separate_outputs(module: GraphModule, before: list[Node | None]) -> None:
    """Copy outputs that share the memory of an input, a constant or another output, and did not before."""
    taken: dict[Node, Node | None] = {}
    results = list(_outputs(module))
    last = next(node for node in reversed(module.graph.nodes) if node.op == "output")
    for number, (output, first) in enumerate(zip(results, before, strict=True)):
        if not isinstance(output, Node):
            continue
        owner = _owner(output, sharing=True)
        assert owner is not None
        given = owner.op in ("placeholder", "get_attr")
        if (given and first is not owner) or (owner in taken and taken[owner] is not first):
            results[number] = insert(module, last, aten.clone.default, (output,))
        else:
            taken[owner] = first
    last.args = (tuple(results),)
    recompile(module)


def _outputs(module: GraphModule) -> Any:
    last = next(node for node in reversed(module.graph.nodes) if node.op == "output")
    return last.args[0]


def _owner(node: Node, sharing: bool) -> Node | None:
    """The node whose memory a view looks at; with `sharing` also where that is not certain."""
    while node.op == "call_function" and _is_view(node.target, sharing):
        source = node.args[0]
        if not isinstance(source, Node):
            break
        node = source
    return node


def _is_view(target: Any, sharing: bool) -> bool:
    if target in _MAY_COPY:
        return sharing
    schema = getattr(target, "_schema", None)
    return schema is not None and not schema.is_mutable and any(one.alias_info for one in schema.returns)
