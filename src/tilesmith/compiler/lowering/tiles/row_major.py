"""tile.copy between tiles and row-major order: the unpacker tilizes, the packer untilizes."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.tile_geometry import TILE, tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.lowering.tiles.stage import Dst, Stage, buffer_of, largest_divisor, name_of

STREAMS = "streams"
"""Attribute of a stage that reserves and pushes the pages of its results itself."""


def converts_row_major(op: tile.CopyOp) -> bool:
    """Whether a copy untilizes a matrix, or tilizes one."""
    layouts = {buffer_of(cb).layout.data for cb in (op.source, op.dest)}
    return layouts == {"tiled", "flat"}


def lower_row_major_copy(op: tile.CopyOp, dst: Dst) -> None:
    if buffer_of(op.dest).layout.data == "tiled":
        _tilize(op, dst)
    else:
        _untilize(op, dst)
    Rewriter.erase_op(op)


def _tilize(op: tile.CopyOp, dst: Dst) -> None:
    stage = Stage(dst)
    rows, columns = (size // TILE for size in buffer_of(op.dest).dims)
    stage.op(ttc.TilizeBlockOp(op.source, op.dest, rows, columns))
    stage.place_before(op, f"{name_of(op.dest)} = {name_of(op.source)}, tilized", [op.source], [op.dest])


def _untilize(op: tile.CopyOp, dst: Dst) -> None:
    """A row of tiles is packed, in parts that fit DST, and pushed, so that the next is packed behind it."""
    stage, columns = Stage(dst), buffer_of(op.source).dims[1] // TILE
    together = largest_divisor(columns, dst.capacity)
    stage.op(ttc.InitUntilizeOp(op.dest, together, columns))
    with stage.loop(tiles_of(buffer_of(op.source)), "tile", step=columns) as first:
        stage.op(tt.ReserveBackOp(op.dest, columns))
        for part in range(columns // together):
            scope = stage.dst_section(together)
            with stage.inside(scope.math.block), stage.loop(together, "i") as i:
                stage.move(op.source, stage.add(first, stage.add(part * together, i)), i)
            with stage.inside(scope.pack.block):
                stage.op(ttc.PackUntilizeOp(op.dest, together, columns, part))
        stage.op(tt.PushBackOp(op.dest, columns))
    stage.op(ttc.EndUntilizeOp(op.dest))
    title = f"{name_of(op.dest)} = {name_of(op.source)}, untilized"
    placed = stage.place_before(op, title, [op.source], [op.dest])
    placed.attributes[STREAMS] = UnitAttr()
