"""Parts that are split along one dimension and joined along another around a collective become a permute.

torch's collectives split and join along the first dimension only: a split and a concatenation follow a gather
along another, and stand before a scatter. A permute says where the parts of a gather belong, and chips can
put them there; before a scatter it is taken where it moves nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, replace, tidy, value_of
from tilesmith.models.passes.match import is_call

aten = torch.ops.aten
_SPLITS = (aten.split_with_sizes.default, aten.split.Tensor, aten.chunk.default)
_SCATTERS = ("reduce_scatter_tensor", "all_to_all_single")


def permute_parts(module: GraphModule) -> None:
    """Rewrite what joins the equal parts of a gathered tensor, or those of one that is scattered."""
    for node in list(module.graph.nodes):
        split = _split_source(node)
        if split is None:
            continue
        source, count, apart = split
        together = _dim(node, 1, value_of(node))
        gathers = apart == 0 and _name(source) == "wait_tensor"
        scatters = together == 0 and all(_name(user) in _SCATTERS for user in node.users)
        scatters = scatters and all(size == 1 for size in value_of(source).shape[:apart])
        if apart != together and (gathers or scatters):
            replace(module, node, _permuted(module, node, source, count, apart, together))
    tidy(module)


def _permuted(module: GraphModule, node: Node, source: Node, count: int, apart: int, together: int) -> Node:
    """Name the parts by a dimension, and move that in front of the one they are joined along."""
    shape = [int(size) for size in value_of(source).shape]
    named = [*shape[:apart], count, shape[apart] // count, *shape[apart + 1 :]]
    order = [dim for dim in range(len(named)) if dim != apart]
    order.insert(together, apart)
    parts = insert(module, node, aten.reshape.default, (source, named))
    moved = insert(module, node, aten.permute.default, (parts, order))
    joined = [int(size) for size in value_of(node).shape]
    return insert(module, node, aten.reshape.default, (moved, joined))


def _split_source(node: Node) -> tuple[Node, int, int] | None:
    """The tensor, how many equal parts, and along which dimension, if a node joins all of them in order."""
    if not is_call(node, aten.cat.default):
        return None
    parts: Any = node.args[0]
    if len(parts) < 2 or not all(is_call(part, operator.getitem) for part in parts):
        return None
    split = parts[0].args[0]
    if not is_call(split, *_SPLITS) or any(part.args[0] is not split for part in parts):
        return None
    sizes: Sequence[Any] = split.meta["val"]
    if [part.args[1] for part in parts] != list(range(len(sizes))):
        return None
    shapes = {tuple(size.shape) for size in sizes}
    known = all(isinstance(size, int) for shape in shapes for size in shape)
    if len(shapes) != 1 or not known:
        return None
    source: Node = split.args[0]
    return source, len(sizes), _dim(split, 2, value_of(source))


def _dim(node: Node, place: int, like: torch.Tensor) -> int:
    dim: Any = node.args[place] if len(node.args) > place else node.kwargs.get("dim", 0)
    return int(dim) % like.dim()


def _name(node: Node) -> str:
    return str(getattr(node.target, "_opname", ""))
