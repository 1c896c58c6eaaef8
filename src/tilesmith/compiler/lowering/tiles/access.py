"""Which tile of an input goes with a tile of the output, and what has to be done to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from tilesmith.compiler.analysis.tile_geometry import Axes, axes_of, tile_grid, tiles_of
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.stage import Stage, buffer_of
from tilesmith.compiler.lowering.transfers.build import Index
from tilesmith.errors import UnsupportedKernelError

NO_AXES = Axes((), None, None)


@dataclass(frozen=True)
class Access:
    """An input seen from the output: the dimension of the output each axis of its tiles follows.

    `down` and `across` are meant after the tile is `turned`; None and -1 follow nothing.
    """

    cb: SSAValue
    batch: tuple[int, ...]
    row: int | None
    col: int | None
    turned: bool
    spreads: tuple[str, ...]
    linear: bool

    def tile(self, stage: Stage, position: Mapping[int, Index]) -> Index:
        """The tile's number, given the output's tile (in batches: element) along each dimension."""
        buffer_type = buffer_of(self.cb)
        _, rows, cols = tile_grid(buffer_type)
        grid: Index = 0
        if self.batch:
            for dim, follows in zip(axes_of(buffer_type).batch, self.batch, strict=True):
                at = 0 if follows < 0 else position[follows]
                grid = stage.add(stage.mul(grid, buffer_type.dims[dim]), at)
        row = _at(self.row, position)
        col = _at(self.col, position)
        return stage.add(stage.mul(stage.add(stage.mul(grid, rows), row), cols), col)


def _at(follows: int | None, position: Mapping[int, Index]) -> Index:
    return 0 if follows is None or follows < 0 else position[follows]


def out_axes(buffer_type: BufferType) -> Axes:
    """The axes of a buffer; a flat one has none, and is one long line of tiles."""
    return NO_AXES if buffer_type.layout.data == "flat" else axes_of(buffer_type)


def access(cb: SSAValue, follows: Sequence[int], out: BufferType, where: str) -> Access:
    """How an input whose dimensions follow those of the output is read."""
    buffer_type = buffer_of(cb)
    if "flat" in (buffer_type.layout.data, out.layout.data):
        return _flat_access(cb, buffer_type, follows, out, where)
    axes, target = axes_of(buffer_type), axes_of(out)
    # A dimension of size 1 stays where it is, whatever it is said to follow.
    follows = [-1 if size == 1 else dim for size, dim in zip(buffer_type.dims, follows, strict=True)]
    row = None if axes.row is None else follows[axes.row]
    col = None if axes.col is None else follows[axes.col]
    batch = tuple(follows[dim] for dim in axes.batch)
    straight = _fits(row, target.row) and _fits(col, target.col)
    turned = not straight and _fits(row, target.col) and _fits(col, target.row)
    if not (straight or turned) or any(dim in (target.row, target.col) for dim in batch if dim >= 0):
        raise UnsupportedKernelError(
            f"a buffer of shape {buffer_type.dims} ({buffer_type.layout.data}) cannot be read along"
            f" dimensions {tuple(follows)} of one of shape {out.dims} ({out.layout.data}) tile by tile",
            where=where,
            remedy="index it with the variables of the result, in their order, or copy it first",
        )
    down, across = (col, row) if turned else (row, col)
    spreads = []
    if down == -1 and not _is_single(out, target.row):
        spreads.append("row")
    if across == -1 and not _is_single(out, target.col):
        spreads.append("column")
    linear = tiles_of(buffer_type) == 1 or (
        straight
        and tile_grid(buffer_type) == tile_grid(out)
        and [dim for dim in batch if dim >= 0] == [dim for dim in target.batch if out.dims[dim] > 1]
        and row in (None, -1, target.row)
        and col in (None, -1, target.col)
    )
    return Access(cb, batch, row, col, turned, tuple(spreads), linear)


def _flat_access(
    cb: SSAValue, buffer_type: BufferType, follows: Sequence[int], out: BufferType, where: str
) -> Access:
    moving = [dim for size, dim in zip(buffer_type.dims, follows, strict=True) if size > 1]
    in_order = moving == [dim for dim, size in enumerate(out.dims) if size > 1]
    same = buffer_type.layout == out.layout and buffer_type.elements == out.elements and in_order
    if not same and not (buffer_type.layout.data == "scalar" and buffer_type.elements == 1):
        raise UnsupportedKernelError(
            f"a buffer of shape {buffer_type.dims} ({buffer_type.layout.data}) and one of shape {out.dims}"
            f" ({out.layout.data}) do not meet tile by tile",
            where=where,
            remedy="give both the same shape, or index them with the same variables",
        )
    return Access(cb, (), None, None, False, (), True)


def _fits(follows: int | None, axis: int | None) -> bool:
    return follows is None or follows == -1 or follows == axis


def _is_single(buffer_type: BufferType, axis: int | None) -> bool:
    return axis is not None and buffer_type.dims[axis] == 1
