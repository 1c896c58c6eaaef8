"""tile.copy: tiles pass through DST, where formats change; if layouts differ, they are turned or spread."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tilesmith.compiler.analysis.index_expressions import constant_of, is_multiple
from tilesmith.compiler.analysis.tile_geometry import TILE, tile_grid, tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.conversions import fits
from tilesmith.compiler.dialects.tile import location_of, numbers
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.tiles.access import Access, access, out_axes
from tilesmith.compiler.lowering.tiles.rounding import is_rounded, round_slot
from tilesmith.compiler.lowering.tiles.row_major import converts_row_major, lower_row_major_copy
from tilesmith.compiler.lowering.tiles.stage import Dst, Stage, buffer_of, largest_divisor, name_of
from tilesmith.compiler.lowering.transfers.build import Index
from tilesmith.errors import UnsupportedKernelError


def lower_copy(op: tile.CopyOp, dst: Dst) -> None:
    if converts_row_major(op):
        lower_row_major_copy(op, dst)
        return
    source, dest = buffer_of(op.source), buffer_of(op.dest)
    part = _part(op, dest)
    follows = numbers(op.dims)
    how = access(op.source, follows, part, location_of(op))
    whole = part.dims == dest.dims
    stage = Stage(dst)
    if not whole:
        # The rest of the destination stays where it is: its pages are popped and reserved again.
        stage.op(tt.PopFrontOp(op.dest, tiles_of(dest)))
        stage.op(tt.ReserveBackOp(op.dest, tiles_of(dest)))
    if whole and how.linear and not op.source_offsets and not how.spreads:
        _in_line(stage, op, how)
    else:
        _by_position(stage, op, how, part, source)
    if not whole:
        stage.op(tt.PushBackOp(op.dest, tiles_of(dest)))
    ins = [op.source] if whole else [op.source, op.dest]
    title = f"{name_of(op.dest)} = {name_of(op.source)}"
    stage.place_before(op, title, ins, [op.dest], rotates=not whole)
    Rewriter.erase_op(op)


def _part(op: tile.CopyOp, dest: BufferType) -> BufferType:
    """The type of what is overwritten, as if it were a buffer of its own."""
    dims = [1] * len(dest.dims)
    for size, dim in zip(numbers(op.sizes), numbers(op.dims), strict=True):
        if dim >= 0:
            dims[dim] = size
    return BufferType.of(dims, dest.element_type, dest.scope.data, dest.layout.data, dest.format.data)


def _in_line(stage: Stage, op: tile.CopyOp, how: Access) -> None:
    """Tile after tile, as many at a time as DST holds."""
    count = tiles_of(buffer_of(op.dest))
    rounds = _rounds(op)
    together = largest_divisor(count, stage.dst.capacity // (2 if rounds else 1))
    single = tiles_of(buffer_of(op.source)) == 1
    typecast = _typecast(op)
    with stage.loop(count, "tile", step=together) as first:
        scope = stage.dst_section(together * 2 if rounds else together)
        with stage.inside(scope.math.block), stage.loop(together, "i") as i:
            stage.move(
                op.source, 0 if single else stage.add(first, i), i, "transpose" if how.turned else "copy"
            )
            if typecast:
                stage.vector(typecast, [i])
            if rounds:
                round_slot(stage, i, stage.add(i, together), buffer_of(op.dest))
        with stage.inside(scope.pack.block), stage.loop(together, "i") as i:
            stage.pack(i, op.dest)


def _by_position(stage: Stage, op: tile.CopyOp, how: Access, part: BufferType, source: BufferType) -> None:
    """Tile by tile, each from where it lies in the source to where it goes."""
    axes = out_axes(part)
    dest = buffer_of(op.dest)
    _, rows, cols = tile_grid(part)
    source_shift = _shifts(stage, op, op.source, list(op.source_offsets))
    dest_shift = _shifts(stage, op, op.dest, list(op.dest_offsets))
    follows = numbers(op.dims)
    with ExitStack() as loops:
        position: dict[int, Index] = {}
        for dim in axes.batch:
            position[dim] = loops.enter_context(stage.loop(part.dims[dim], f"batch_{dim}"))
        row = loops.enter_context(stage.loop(rows, "row"))
        col = loops.enter_context(stage.loop(cols, "column"))
        position |= {axis: at for axis, at in ((axes.row, row), (axes.col, col)) if axis is not None}
        at = {
            dim: stage.add(position[follows[dim]], shift)
            for dim, shift in source_shift.items()
            if follows[dim] >= 0
        }
        fixed = {dim: shift for dim, shift in source_shift.items() if follows[dim] < 0}
        scope = stage.dst_section(2 if how.spreads or _rounds(op) else 1)
        with stage.inside(scope.math.block):
            slot = _move(stage, op, _number(stage, source, at | fixed, position, follows), how)
        with stage.inside(scope.pack.block):
            if part.dims == dest.dims:
                stage.pack(slot, op.dest)
            else:
                target = {dim: stage.add(where, dest_shift.get(dim, 0)) for dim, where in position.items()}
                stage.pack(slot, op.dest, _number(stage, dest, target, target, range(len(dest.dims))))


def _rounds(op: tile.CopyOp) -> bool:
    source, dest = buffer_of(op.source), buffer_of(op.dest)
    return is_rounded(dest) and not fits(source.element_type, dest.element_type)


def _typecast(op: tile.CopyOp) -> str | None:
    """What turns tiles of the source into tiles of the destination, where integers meet floats."""
    source, dest = (buffer_of(cb).format.data == "Int32" for cb in (op.source, op.dest))
    return None if source == dest else "int_to_float" if source else "float_to_int"


def _move(stage: Stage, op: tile.CopyOp, number: Index, how: Access) -> int:
    stage.move(op.source, number, 0, "transpose" if how.turned else "copy")
    slot, typecast = 0, _typecast(op)
    if how.spreads and buffer_of(op.dest).format.data == "Int32":
        raise UnsupportedKernelError(
            f"integers of {name_of(op.source)} cannot be broadcast on the vector unit, which rounds",
            where=location_of(op),
            remedy="give the result of the product more than one row and column, or use it as float32",
        )
    if typecast:
        stage.vector(typecast, [0])
    for direction in how.spreads:
        spread = stage.spread_row if direction == "row" else stage.spread_column
        spread(slot, 1 - slot)
        slot = 1 - slot
    if _rounds(op):
        round_slot(stage, slot, 1 - slot, buffer_of(op.dest))
    return slot


def _number(
    stage: Stage,
    buffer_type: BufferType,
    at: dict[int, Index],
    position: dict[int, Index],
    follows: Sequence[int],
) -> Index:
    """The number of the tile of a buffer at a position given per dimension of that buffer."""
    axes = out_axes(buffer_type)
    _, rows, cols = tile_grid(buffer_type)

    def along(dim: int | None) -> Index:
        if dim is None:
            return 0
        if dim in at:
            return at[dim]
        return position[follows[dim]] if follows[dim] >= 0 else 0

    grid: Index = 0
    for dim in axes.batch:
        grid = stage.add(stage.mul(grid, buffer_type.dims[dim]), along(dim))
    return stage.add(stage.mul(stage.add(stage.mul(grid, rows), along(axes.row)), cols), along(axes.col))


def _shifts(stage: Stage, op: tile.CopyOp, cb: SSAValue, offsets: list[SSAValue]) -> dict[int, Index]:
    """Offsets per dimension, in tiles where the dimension lies in tiles."""
    buffer_type = buffer_of(cb)
    axes = out_axes(buffer_type)
    shifts: dict[int, Index] = {}
    for dim, offset in enumerate(offsets):
        known = constant_of(offset)
        if dim in (axes.row, axes.col):
            if not is_multiple(offset, TILE):
                raise UnsupportedKernelError(
                    f"a copy of a part of {name_of(cb)} starts in the middle of a tile",
                    where=location_of(op),
                    remedy=f"copy from and to offsets that are multiples of {TILE}",
                )
            shifts[dim] = known // TILE if known is not None else stage.div(offset, TILE)
        else:
            shifts[dim] = known if known is not None else offset
    return shifts
