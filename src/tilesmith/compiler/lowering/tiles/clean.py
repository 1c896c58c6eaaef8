"""tile.clean: lanes beyond the shape of a buffer get a value, in the tiles at its edges."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.formulas import number_text
from tilesmith.compiler.analysis.tile_geometry import TILE, TILE_ELEMENTS, tile_grid
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.access import out_axes
from tilesmith.compiler.lowering.tiles.constants import counting
from tilesmith.compiler.lowering.tiles.stage import Dst, Stage, buffer_of, name_of
from tilesmith.compiler.lowering.transfers.build import Index

_TILE, _MASK, _VALUE = 0, 1, 2


def lower_clean(op: tile.CleanOp, dst: Dst) -> None:
    limits = padded_directions(buffer_of(op.buffer))
    if limits:
        counts = {along: counting(op, along, dst) for along in limits}
        _place(op, dst, limits, counts)
    Rewriter.erase_op(op)


def padded_directions(buffer_type: BufferType) -> dict[str, int]:
    """How many lanes of the last tile hold elements, for each direction in which some do not."""
    axes = out_axes(buffer_type)
    if buffer_type.layout.data == "flat":
        sizes = {"flat": (buffer_type.elements, TILE_ELEMENTS)}
    else:
        named = (("row", axes.row), ("col", axes.col))
        sizes = {along: (buffer_type.dims[dim], TILE) for along, dim in named if dim is not None}
    return {along: size % unit for along, (size, unit) in sizes.items() if size % unit}


def _place(op: tile.CleanOp, dst: Dst, limits: dict[str, int], counts: dict[str, SSAValue]) -> None:
    batches, rows, cols = tile_grid(buffer_of(op.buffer))
    last = {"row": rows - 1, "col": cols - 1, "flat": cols - 1}
    stage = Stage(dst)
    value = stage.as_float(op.value)
    with stage.loop(batches, "batch"), stage.loop(rows, "row") as row, stage.loop(cols, "column") as col:
        at = {"row": row, "col": col, "flat": col}
        scope = stage.dst_section(3)
        with stage.inside(scope.math.block):
            stage.move(op.buffer, 0, _TILE)
            for along, limit in limits.items():
                with stage.when(_equal(stage, at[along], last[along])):
                    _mask(stage, counts[along], limit, value)
            stage.op(tt.PopFrontOp(op.buffer, 1))
        with stage.inside(scope.pack.block):
            stage.op(tt.ReserveBackOp(op.buffer, 1))
            stage.pack(_TILE, op.buffer)
            stage.op(tt.PushBackOp(op.buffer, 1))
    title = f"{name_of(op.buffer)}: {number_text(op.value)} beyond its shape"
    stage.place_before(op, title, [op.buffer, *counts.values()], [op.buffer], rotates=True)


def _mask(stage: Stage, count: SSAValue, limit: int, value: SSAValue) -> None:
    stage.move(count, 0, _MASK)
    stage.vector("lt_number", [_MASK], [stage.number(float(limit))])
    stage.vector("fill", [_VALUE], [value])
    stage.vector("where", [_MASK, _TILE, _VALUE, _TILE])


def _equal(stage: Stage, at: Index, number: int) -> bool | SSAValue:
    if isinstance(at, int):
        return at == number
    return stage.op(arith.CmpiOp(at, stage.value(number), "eq")).results[0]
