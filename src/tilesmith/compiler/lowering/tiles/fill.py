"""tile.fill: one slot is filled, and packed into every tile."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.formulas import number_text
from tilesmith.compiler.analysis.tile_geometry import tiles_of
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.rounding import is_rounded, number_of, round_slot
from tilesmith.compiler.lowering.tiles.stage import Dst, Stage, buffer_of, name_of
from tilesmith.compiler.lowering.tiles.translate import known_number


def lower_fill(op: tile.FillOp, dst: Dst) -> None:
    stage = Stage(dst)
    buffer_type = buffer_of(op.buffer)
    whole_numbers = buffer_type.format.data in ("Int32", "UInt32") and not isinstance(
        op.value.type, Float32Type
    )
    scope = stage.dst_section(2 if is_rounded(buffer_type) else 1)
    with stage.inside(scope.math.block):
        if whole_numbers:
            stage.vector("fill_int", [0], [op.value])
        else:
            _fill(stage, op, buffer_type)
    with stage.inside(scope.pack.block), stage.loop(tiles_of(buffer_type), "tile"):
        stage.pack(0, op.buffer)
    stage.place_before(op, f"{name_of(op.buffer)} = {number_text(op.value)}", [], [op.buffer])
    Rewriter.erase_op(op)


def _fill(stage: Stage, op: tile.FillOp, buffer_type: BufferType) -> None:
    known, rounds = known_number(op.value), is_rounded(buffer_type)
    if rounds and known is not None:
        stage.vector("fill", [0], [stage.number(number_of(known, buffer_type.element_type))])
        return
    stage.vector("fill", [0], [stage.as_float(op.value)])
    if rounds:
        round_slot(stage, 0, 1, buffer_type)
