"""How a collective goes from one matrix to another: along which dimension of each the parts of ranks lie.

torch's collectives split and concatenate along the first dimension of a tensor; what follows may permute it.
In memory both are matrices of tiles, in which parts lie one below the other (0) or side by side (1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch.fx import Node

from tilesmith.formats import DataFormat
from tilesmith.models.planning.op_tables import VIEWS
from tilesmith.models.planning.views import TILE, Axis, Storage, View, joined_axes
from tilesmith.runtime import Layout

aten = torch.ops.aten
_MOVED = ("bfloat16", "float32", "int32")
_SUMMED = ("bfloat16", "float32")
_SUMS = ("all_reduce", "reduce_scatter_tensor")


@dataclass(frozen=True)
class Ways:
    """The dimension along which the operand is split, and that along which the result is concatenated."""

    split: int | None = None
    concat: int | None = None


@dataclass(frozen=True)
class _Part:
    """What one rank sends to another, as a matrix and how its elements are walked."""

    rows: int
    cols: int
    axes: tuple[Axis, ...]


def is_view(node: Node) -> bool:
    """Whether a node is a reshape or a permutation, which chains of collectives may have."""
    return VIEWS.get(node.target) == "reshape" or node.target is aten.permute.default


def ways_of(operation: str, ranks: int, source: View, views: Sequence[Node], target: View) -> Ways | None:
    """How the chips get from the operand to the views of the result; None if pages cannot say it."""
    if not _is_whole(source) or not _is_whole(target) or source.storage.format != target.storage.format:
        return None
    if source.storage.dtype not in (_SUMMED if operation in _SUMS else _MOVED):
        return None
    whole = _Part(source.storage.rows, source.storage.cols, source.axes)
    splits: dict[int | None, _Part] = {None: whole}
    if operation in ("reduce_scatter_tensor", "all_to_all_single"):
        splits = {dim: part for dim in (0, 1) if (part := _split(whole, ranks, dim)) is not None}
    concats = (0, 1) if operation in ("all_gather_into_tensor", "all_to_all_single") else (None,)
    for split, part in splits.items():
        for concat in concats:
            result = part if concat is None else _concatenated(part, ranks, concat)
            if _is_seen_as(result, views, target):
                return Ways(split, concat)
    return None


def _is_whole(view: View) -> bool:
    """Whether a view is all of a matrix of whole tiles."""
    storage = view.storage
    tiles = storage.layout is Layout.TILE and storage.rows % TILE == storage.cols % TILE == 0
    return tiles and view.row == view.col == 0 and prod(view.shape) == storage.rows * storage.cols


def _split(whole: _Part, ranks: int, dim: int) -> _Part | None:
    """The first of equal parts along the first dimension of a tensor, if they lie along `dim` in memory."""
    size = (whole.rows, whole.cols)[dim] // ranks
    first = whole.axes[0].size
    if first % ranks or size % TILE or (whole.rows, whole.cols)[dim] % ranks:
        return None
    shape = (ranks, first // ranks, *(axis.size for axis in whole.axes[1:]))
    split = _view(whole).reshape(shape)
    if split is None or split.axes[0] != Axis(ranks, *((size, 0) if dim == 0 else (0, size))):
        return None
    rows, cols = (size, whole.cols) if dim == 0 else (whole.rows, size)
    return _Part(rows, cols, split.axes[1:])


def _concatenated(part: _Part, ranks: int, dim: int) -> _Part:
    """The parts of all ranks along `dim` in memory, and in front of a tensor's dimensions."""
    if dim == 0:
        return _Part(ranks * part.rows, part.cols, (Axis(ranks, part.rows, 0), *part.axes))
    return _Part(part.rows, ranks * part.cols, (Axis(ranks, 0, part.cols), *part.axes))


def _is_seen_as(result: _Part, views: Sequence[Node], target: View) -> bool:
    """Whether views of a result walk its matrix as the target's does."""
    if (result.rows, result.cols) != (target.storage.rows, target.storage.cols):
        return False
    view = _view(result)
    for node in views:
        if node.target is not aten.permute.default:
            continue  # in which shape matters only where dimensions are permuted
        source: Node = node.all_input_nodes[0]
        reshaped = view.reshape(tuple(source.meta["val"].shape))
        if reshaped is None:
            return False
        order: Any = node.args[1]
        view = reshaped.permute([dim % len(reshaped.axes) for dim in order])
    return joined_axes(view.axes) == joined_axes(target.axes)


def _view(part: _Part) -> View:
    """Only to reshape and permute: the format of its storage does not matter."""
    return View(Storage(part.rows, part.cols, Layout.TILE, DataFormat.Float16_b, 0), part.axes)
