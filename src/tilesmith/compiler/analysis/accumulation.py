"""Blocks that add to the same place must not run at the same time: which block indices keep them apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import BlockArgument, SSAValue

from tilesmith.compiler.analysis.affine import linear_of, range_of
from tilesmith.compiler.analysis.index_expressions import leaves_of
from tilesmith.compiler.dialects.tile import GridOp, StoreOp, WriteOp, numbers
from tilesmith.compiler.dialects.types import TensorType
from tilesmith.compiler.dialects.walk import walk


@dataclass(frozen=True)
class _Reach:
    """Along one dimension of a tensor: from `first` to `last`, moved by `stride` per step of a block index.

    `base` is what all blocks have in common: values that do not depend on the block.
    """

    stride: int
    base: frozenset[tuple[SSAValue, int]]
    first: int
    last: int


def separate_dims(grid: GridOp) -> tuple[int, ...]:
    """The grid's dimensions in which different blocks never accumulate into the same element."""
    places = _accumulated(grid)
    dims = range(len(grid.extents))
    return tuple(dim for dim in dims if all(_separates(grid, dim, boxes) for boxes in places.values()))


Box = tuple[tuple[SSAValue, int], ...]
"""For each dimension of a tensor, where an access starts and how many elements it covers."""


def _accumulated(grid: GridOp) -> dict[SSAValue, list[Box]]:
    places: dict[SSAValue, list[Box]] = defaultdict(list)
    for op in walk(grid.body):
        if isinstance(op, StoreOp) and op.accumulate.data:
            places[op.tensor].append(tuple(zip(op.offsets, numbers(op.sizes), strict=True)))
        if isinstance(op, WriteOp) and op.accumulate.data and isinstance(op.dest.type, TensorType):
            places[op.dest].append(tuple((index, 1) for index in op.indices))
    return places


def _separates(grid: GridOp, dim: int, boxes: Sequence[Box]) -> bool:
    """Whether some dimension of the tensor tells all blocks apart that differ in this block index."""
    return any(
        _are_apart([_reach(grid, dim, start, size) for start, size in starts])
        for starts in zip(*boxes, strict=True)
    )


def _are_apart(reaches: Sequence[_Reach | None]) -> bool:
    known = [reach for reach in reaches if reach is not None]
    if len(known) < len(reaches) or len({(reach.stride, reach.base) for reach in known}) > 1:
        return False
    width = max(reach.last for reach in known) - min(reach.first for reach in known) + 1
    return width <= abs(known[0].stride)


def _reach(grid: GridOp, dim: int, start: SSAValue, size: int) -> _Reach | None:
    """What an access covers; None if it moves with the block in a way this cannot follow."""
    blocks = set[SSAValue](grid.body.block.args)
    form = linear_of(start)
    terms = dict(form.terms)
    stride = terms.pop(grid.body.block.args[dim], 0)
    first = last = form.constant
    base: set[tuple[SSAValue, int]] = set()
    for value, factor in terms.items():
        if leaves_of([value]) & blocks:
            return None
        bounds = range_of(value)
        if bounds is not None:
            ends = (bounds[0] * factor, bounds[1] * factor)
            first, last = first + min(ends), last + max(ends)
        elif _is_common(value, grid):
            base.add((value, factor))
        else:
            return None
    return _Reach(stride, frozenset(base), first, last + size - 1)


def _is_common(value: SSAValue, grid: GridOp) -> bool:
    """Whether a value is computed outside the grid, and so the same for all blocks."""
    inside = value.block if isinstance(value, BlockArgument) else value.owner
    return not grid.is_ancestor(inside)
