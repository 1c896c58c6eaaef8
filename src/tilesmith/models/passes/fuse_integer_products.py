"""Products of int8 between a quantisation and a scale become one operator whose sums stay on the device.

torchao writes a dynamic linear as `_int_mm` of rows that were rounded, clamped and cast to int8, and casts
the result back to reals. On some processors rows are moved to uint8 first, by 128, and the sums corrected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, insert_constant, replace, tidy, value_of
from tilesmith.models.passes.match import ADD, CAST, is_call
from tilesmith.models.planning.dtypes import is_real
from tilesmith.models.planning.plan import constants_of

aten, ours = torch.ops.aten, torch.ops.tilesmith
_RESHAPES = (aten.view.default, aten.reshape.default, aten._unsafe_view.default)
_LARGEST = 255.0


def fuse_integer_products(module: GraphModule) -> None:
    """Casts of `_int_mm` to reals become `integer_linear` of the rows before they were cast to int8."""
    constants = constants_of(module)
    for node in list(module.graph.nodes):
        if is_call(node, *CAST) and is_real(node):
            found = _product(node.args[0], constants)
            if found is not None:
                _rewrite(module, node, *found)
    tidy(module)


def _rewrite(module: GraphModule, node: Node, rows: Node, weight: torch.Tensor) -> None:
    shape = [value_of(node).shape[0], weight.shape[0]]
    if list(value_of(rows).shape[:-1]) != shape[:1]:
        rows = insert(module, node, aten.view.default, (rows, [shape[0], weight.shape[1]]))
    result = insert(module, node, ours.integer_linear.default, (rows, insert_constant(module, node, weight)))
    dtype = value_of(node).dtype
    if dtype != torch.float32:
        result = insert(module, node, aten._to_copy.default, (result,), {"dtype": dtype})
    replace(module, node, result)


def _product(value: Any, constants: Mapping[Node, torch.Tensor]) -> tuple[Node, torch.Tensor] | None:
    """The rows, as reals, and the weight, outputs first, of a product of int8."""
    taken = None
    if is_call(value, aten.sub.Tensor) and value.args[1] in constants:
        value, taken = value.args[0], constants[value.args[1]]
    if not is_call(value, aten._int_mm.default) or value.args[1] not in constants:
        return None
    weight = constants[value.args[1]]
    found = _rows(value.args[0])
    if found is None or weight.dtype != torch.int8:
        return None
    rows, moved = found
    wanted = moved * weight.sum(0, dtype=torch.int64)
    matches = not moved if taken is None else torch.equal(taken.flatten().long(), wanted)
    return (rows, weight.t().contiguous()) if matches else None


def _rows(node: Any) -> tuple[Node, int] | None:
    """What was cast to int8, if it holds integers that int8 has, and by how much it was moved then."""
    moved = 0
    while isinstance(node, Node):
        source = node.args[0] if node.args else None
        if is_call(node, *CAST) and isinstance(source, Node) and is_real(source):
            return (source, moved) if _is_quantised(source) and value_of(node).dtype == torch.int8 else None
        if is_call(node, *ADD) and isinstance(node.args[1], int):
            moved += node.args[1]
        elif not is_call(node, *CAST, *_RESHAPES):
            return None
        node = source
    return None


def _is_quantised(node: Any) -> bool:
    """Whether a value was rounded, perhaps moved by integers, and clamped to what int8 has."""
    while is_call(node, *_RESHAPES):
        node = node.args[0]
    if not is_call(node, aten.clamp.default) or len(node.args) < 3:
        return False
    low, high = node.args[1:3]
    if not (isinstance(low, int | float) and isinstance(high, int | float)) or low < -128 or high > 127:
        return False
    inner = node.args[0]
    while is_call(inner, *ADD, aten.sub.Tensor) and _is_whole(inner.args[1]):
        inner = inner.args[0]
    return is_call(inner, aten.round.default)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, Node) and not value_of(value).is_floating_point())
