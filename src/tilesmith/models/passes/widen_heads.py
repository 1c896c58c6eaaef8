"""Heads whose width is not whole tiles become so, with zeros in the weights around attention.

Heads of 40 columns side by side begin in the midst of tiles, and every element of queries, keys, values and
results would be copied by itself. With rows of zeros the products before make heads of 64 columns, which are
read in place; zeros add nothing to scores, and the columns of zeros of the result meet zeros in the product
after. The scale of such heads is no power of two: what it has beyond one goes into the weights of queries, so
that queries are scaled exactly, and no score is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import frexp

import torch
from torch.fx import GraphModule, Node
from torch.nn.functional import pad

from tilesmith.models.passes.edit import insert, insert_constant, replace, tidy, value_of
from tilesmith.models.passes.match import is_call
from tilesmith.models.planning.plan import constants_of
from tilesmith.models.planning.views import padded

aten = torch.ops.aten
_RESHAPES = (aten.view.default, aten.reshape.default, aten._unsafe_view.default)
_HEADS_FIRST = [0, 2, 1, 3]


@dataclass(frozen=True)
class _Product:
    """A linear operator, or some of its rows, with known weights."""

    source: Node
    weight: torch.Tensor
    bias: torch.Tensor | None


def widen_heads(module: GraphModule) -> None:
    """Find attention between products, and give its heads whole tiles."""
    constants = constants_of(module)
    for node in list(module.graph.nodes):
        if is_call(node, aten.scaled_dot_product_attention.default) and _is_ragged(node):
            _widen(module, node, constants)
    tidy(module)


def _is_ragged(node: Node) -> bool:
    shapes = [value_of(one).shape for one in node.all_input_nodes[:3]]
    widths = {shape[-1] for shape in shapes}
    known = all(len(shape) == 4 and all(isinstance(size, int) for size in shape) for shape in shapes)
    return known and len(shapes) == 3 and len(widths) == 1 and padded(int(widths.pop())) != shapes[0][-1]


def _widen(module: GraphModule, node: Node, constants: Mapping[Node, torch.Tensor]) -> None:
    sources = [_heads_of(one, constants) for one in node.args[:3]]
    after = _product_after(node, constants)
    if after is None or None in sources:
        return
    batch, heads, rows, width = (int(size) for size in value_of(node).shape)
    scale = _scale_of(node, width)
    beyond = 2 * frexp(scale)[0] if scale > 0 else 1.0
    operands = [
        _wide_heads(module, node, head, product, factor)
        for head, product, factor in zip(node.args[:3], sources, (beyond, 1.0, 1.0), strict=True)
        if isinstance(head, Node) and product is not None
    ]
    kwargs = {**node.kwargs, "scale": scale / beyond}
    attended = insert(module, node, node.target, (*operands, *node.args[3:]), kwargs)
    turned = insert(module, node, aten.permute.default, (attended, _HEADS_FIRST))
    wide = padded(width)
    joined = insert(module, node, aten.reshape.default, (turned, [batch, rows, heads * wide]))
    weight = constants[_argument(after, 1)].unflatten(1, (heads, width))
    held = insert_constant(module, after, pad(weight, (0, wide - width)).flatten(1))
    replace(module, after, insert(module, after, after.target, (joined, held, *after.args[2:])))


def _scale_of(node: Node, width: int) -> float:
    given = node.kwargs.get("scale")
    return float(given) if isinstance(given, int | float) else width**-0.5


def _wide_heads(module: GraphModule, before: Node, head: Node, product: _Product, factor: float) -> Node:
    """The heads that a product makes, times a factor, with zeros beside their columns."""
    batch, heads, rows, width = (int(size) for size in value_of(head).shape)
    wide = padded(width)
    weight = pad(product.weight.unflatten(0, (heads, width)), (0, 0, 0, wide - width)).flatten(0, 1) * factor
    args: list[Node | None] = [product.source, insert_constant(module, before, weight)]
    if product.bias is not None:
        bias = pad(product.bias.unflatten(0, (heads, width)), (0, wide - width)).flatten() * factor
        args.append(insert_constant(module, before, bias))
    columns = insert(module, before, aten.linear.default, args)
    named = insert(module, before, aten.reshape.default, (columns, [batch, rows, heads, wide]))
    return insert(module, before, aten.permute.default, (named, _HEADS_FIRST))


def _heads_of(head: object, constants: Mapping[Node, torch.Tensor]) -> _Product | None:
    """The product whose columns are these heads side by side."""
    if not isinstance(head, Node) or not _swaps(head):
        return None
    named = _argument(head, 0)
    if not is_call(named, *_RESHAPES):
        return None
    batch, heads, rows, width = value_of(head).shape
    columns = _argument(named, 0)
    if tuple(value_of(columns).shape) != (batch, rows, heads * width):
        return None
    start, stop = 0, int(heads * width)
    if is_call(columns, aten.slice.Tensor) and len(columns.args) == 4 and columns.args[1] in (2, -1):
        start, stop = int(str(columns.args[2])), int(str(columns.args[3]))
        columns = _argument(columns, 0)
    return _known(columns, constants, slice(start, stop))


def _known(node: Node, constants: Mapping[Node, torch.Tensor], rows: slice) -> _Product | None:
    if not is_call(node, aten.linear.default):
        return None
    source, weight, *rest = node.args
    bias = rest[0] if rest else None
    assert isinstance(source, Node)
    assert isinstance(weight, Node)
    if weight not in constants or (isinstance(bias, Node) and bias not in constants):
        return None
    shift = constants[bias][rows] if isinstance(bias, Node) else None
    return _Product(source, constants[weight][rows], shift)


def _product_after(node: Node, constants: Mapping[Node, torch.Tensor]) -> Node | None:
    """The product that reads nothing but the results of all heads side by side, if nobody else does."""
    batch, heads, rows, width = value_of(node).shape
    for wanted in ("turned", "joined", "product"):
        if len(node.users) != 1:
            return None
        source, (node,) = node, node.users
        if wanted == "turned" and not _swaps(node):
            return None
        if wanted == "joined" and not (
            is_call(node, *_RESHAPES) and tuple(value_of(node).shape) == (batch, rows, heads * width)
        ):
            return None
        if wanted == "product" and not (is_call(node, aten.linear.default) and node.args[0] is source):
            return None
    return node if node.args[1] in constants else None


def _swaps(node: Node) -> bool:
    """Whether heads and rows change places."""
    if is_call(node, aten.permute.default):
        return list(node.args[1]) == _HEADS_FIRST  # type: ignore[arg-type]
    return is_call(node, aten.transpose.int) and {int(str(dim)) % 4 for dim in node.args[1:]} == {1, 2}


def _argument(node: Node, number: int) -> Node:
    found = node.args[number]
    assert isinstance(found, Node)
    return found
