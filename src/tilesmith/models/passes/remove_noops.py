"""Drop what changes nothing: aliases, copies, casts to the same type, dropout when evaluating, checks."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import ASSERT, tidy, value_of
from tilesmith.models.planning.dtypes import is_real

aten = torch.ops.aten

_SAME = {
    aten.alias.default,
    aten.detach.default,
    aten.clone.default,
    aten.contiguous.default,
    aten.lift_fresh_copy.default,
    aten._assert_tensor_metadata.default,
}
_SHAPED = {
    aten.expand.default,
    aten.view.default,
    aten.reshape.default,
    aten._unsafe_view.default,
    aten.slice.Tensor,
    aten.permute.default,
}


def remove_noops(module: GraphModule) -> None:
    """Every use of a copy becomes a use of what was copied."""
    for node in list(module.graph.nodes):
        if node.op != "call_function":
            continue
        if node.target is aten._assert_tensor_metadata.default or _checks_reals(node):
            module.graph.erase_node(node)
        elif _changes_nothing(node) and not any(map(_reads_memory, node.users)):
            source = node.args[0]
            assert isinstance(source, Node)
            node.replace_all_uses_with(source)
            module.graph.erase_node(node)
        elif node.target in (aten.view.default, aten._unsafe_view.default):
            # Without the copy before it a view may find elements out of order, which only reshape takes.
            node.target = aten.reshape.default
    tidy(module)


def _checks_reals(node: Node) -> bool:
    """Whether a model checks real numbers, which are rounded here. Indices are checked on the host."""
    if node.target is not ASSERT:
        return False
    waiting, seen = list(node.all_input_nodes), set[Node]()
    while waiting:
        source = waiting.pop()
        if source in seen:
            continue
        seen.add(source)
        if is_real(source):
            return True
        waiting += source.all_input_nodes
    return False


def _reads_memory(node: Node) -> bool:
    """Whether an operator may look at how its inputs lie in memory, for which they were copied."""
    target: Any = node.target
    if node.target in (aten.as_strided.default, aten.view.dtype, aten.view_as_complex.default):
        return True
    schema = getattr(target, "_schema", None)
    space, _, name = schema.name.partition("::") if schema is not None else ("aten", "", "")
    return space not in ("aten", "prims", "tilesmith") or "mkldnn" in name


def _changes_nothing(node: Node) -> bool:
    target: Any = node.target
    if target in _SAME:
        return True
    source = node.args[0] if node.args else None
    if not isinstance(source, Node) or not isinstance(source.meta.get("val"), torch.Tensor):
        return False
    before, after = value_of(source), node.meta.get("val")
    if not isinstance(after, torch.Tensor):
        return False
    if target is aten.dropout.default:
        return node.args[2] is False
    if target is aten._to_copy.default:
        return before.dtype == after.dtype
    if target is aten.permute.default:
        return list(node.args[1]) == list(range(before.dim()))  # type: ignore[arg-type]
    return target in _SHAPED and before.shape == after.shape
