"""Blocks of tensors in tile layout: one NoC transfer per tile, one barrier per block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.ir import SSAValue

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.index_ranges import largest, may_be_negative
from tilesmith.compiler.analysis.tile_geometry import TILE, TILE_ELEMENTS, axes_of, page_bytes, tile_grid
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import (
    ReadBarrierOp,
    ReadBytesOp,
    ReadPageOp,
    WriteBarrierOp,
    WriteBytesOp,
    WritePageOp,
    ZeroPagesOp,
)
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.transfers.barriers import end_writes
from tilesmith.compiler.lowering.transfers.build import Body, Index, divided, index_of
from tilesmith.compiler.lowering.transfers.combine import combined
from tilesmith.compiler.lowering.transfers.elements import datum, load_word, storage_of, store_word
from tilesmith.compiler.lowering.transfers.scratch import scratch
from tilesmith.compiler.lowering.transfers.tensors import (
    Transfer,
    accessor_of,
    address_of,
    buffer_of,
    linear,
    name_of,
    role_of,
    sizes_of,
    tensor_of,
)


@dataclass(frozen=True)
class _Spot:
    """One tile of a block: its place in the buffer, its page in the tensor, whether the tensor has it."""

    tile: Index
    page: Index
    inside: bool | SSAValue
    place: tuple[Index, Index]
    """Row and column of the tile in its grid."""


def load_tiles(op: tile.LoadOp) -> tt.StageOp:
    body = Body()
    read_tiles(body, op, op.buffer)
    body.op(ReadBarrierOp.build())
    return tt.StageOp(role_of(op), load_title(op), [], [op.buffer], body.region)


def load_title(op: tile.LoadOp) -> str:
    return f"load {op.buffer.name_hint} from {name_of(op.tensor)}"


def read_tiles(body: Body, op: tile.LoadOp, target: SSAValue) -> None:
    """Ask for every tile of a block, to come to the pages of a circular buffer."""
    accessor = accessor_of(op, op.tensor)
    with _each_tile(body, op) as spot:
        place = body.value(spot.tile)
        with body.when(spot.inside):
            body.op(ReadPageOp(accessor, body.value(spot.page), target, place))
        if spot.inside is not True:
            with body.otherwise():
                body.op(ZeroPagesOp(target, place))


def store_tiles(op: tile.StoreOp) -> tt.StageOp:
    body, accessor = Body(), accessor_of(op, op.tensor)
    with _each_tile(body, op) as spot, body.when(spot.inside):
        body.op(WritePageOp(op.buffer, body.value(spot.tile), accessor, body.value(spot.page)))
    end_writes(body, op)
    title = f"store {op.buffer.name_hint} to {name_of(op.tensor)}"
    return tt.StageOp(role_of(op), title, [op.buffer], [], body.region)


def accumulate_tiles(op: tile.StoreOp, arch: Arch) -> tt.StageOp:
    """Tile by tile: what the tensor has comes to the core, is combined with the buffer's, and goes back."""
    body, accessor = Body(), accessor_of(op, op.tensor)
    storage, size = storage_of(tensor_of(op.tensor)), page_bytes(buffer_of(op.buffer))
    source, room = address_of(body, op.buffer, "read"), scratch(body, op, size, arch)
    with _each_tile(body, op) as spot, body.when(spot.inside):
        place = accessor, body.value(spot.page), body.value(0), room, body.value(size)
        body.op(ReadBytesOp(*place))
        body.op(ReadBarrierOp.build())
        first = body.named(body.mul(spot.tile, TILE_ELEMENTS), "first")
        with _each_datum(body, buffer_of(op.buffer), spot.place) as i:
            there = load_word(body, room, i, storage)
            new = load_word(body, source, body.add(first, i), storage)
            store_word(body, room, i, combined(body, op.accumulate.data, there, new), storage)
        body.op(WriteBytesOp(*place))
        body.op(WriteBarrierOp.build())
    title = f"{op.accumulate.data} {op.buffer.name_hint} into {name_of(op.tensor)}"
    return tt.StageOp(role_of(op), title, [op.buffer], [], body.region)


@contextmanager
def _each_datum(body: Body, buffer_type: BufferType, place: tuple[Index, Index]) -> Iterator[Index]:
    """Loops over the elements of a tile, without its padding: nothing may have been written there."""
    axes = axes_of(buffer_type)
    sizes = [None if axis is None else buffer_type.dims[axis] for axis in (axes.row, axes.col)]
    if all(size is not None and size % TILE == 0 for size in sizes):
        with body.loop(TILE_ELEMENTS, "i") as i:
            yield i
        return
    rows, cols = (_filled(body, size, at) for size, at in zip(sizes, place, strict=True))
    with body.loop(rows, "down") as row, body.loop(cols, "across") as col:
        yield body.named(datum(body, row, col, 1), "i")


def _filled(body: Body, size: int | None, place: Index) -> Index:
    """How many rows or columns of a tile hold elements; copies of a vector count once."""
    if size is None:
        return 1
    return body.smaller(TILE, body.sub(size, body.mul(place, TILE))) if size % TILE else TILE


@contextmanager
def _each_tile(body: Body, op: Transfer) -> Iterator[_Spot]:
    """Loops over the tiles of the block, in the order of its pages."""
    tensor_type = tensor_of(op.tensor)
    sizes = _padded(sizes_of(op, tensor_type.dims))
    offsets = [index_of(offset) for offset in op.offsets]
    lead, (row_offset, col_offset) = offsets[:-2], _last_two(op.offsets)
    tile_rows = body.named(body.ceil_div(sizes[-2], TILE), "tile_rows")
    tile_cols = body.named(body.ceil_div(sizes[-1], TILE), "tile_cols")
    _, rows, cols = tile_grid(buffer_of(op.buffer))
    first_row = body.named(_first_tile(body, row_offset), "first_row")
    first_col = body.named(_first_tile(body, col_offset), "first_col")
    grid = body.named(linear(body, lead, sizes[:-2]), "matrix")
    with body.loop(rows, "row") as i, body.loop(cols, "col") as j:
        row, col = body.add(first_row, i), body.add(first_col, j)
        inside = body.all(
            [
                _fits(body, row, "tile_row", row_offset, rows, tile_rows),
                _fits(body, col, "tile_col", col_offset, cols, tile_cols),
            ]
        )
        page = body.add(body.mul(body.add(body.mul(grid, tile_rows), row), tile_cols), col)
        place = body.add(body.mul(i, cols), j)
        yield _Spot(body.named(place, "tile"), body.named(page, "page"), inside, (i, j))


def _first_tile(body: Body, offset: SSAValue | None) -> Index:
    return 0 if offset is None else divided(body, offset, TILE)


def _padded(sizes: tuple[Index, ...]) -> tuple[Index, ...]:
    return (1,) * (2 - len(sizes)) + sizes


def _last_two(offsets: Sequence[SSAValue]) -> tuple[SSAValue | None, SSAValue]:
    return None if len(offsets) == 1 else offsets[-2], offsets[-1]


def _fits(
    body: Body, place: Index, name: str, offset: SSAValue | None, count: int, available: Index
) -> bool | SSAValue:
    """Whether the tile at `place` is within the tensor: known where the whole block is, else a comparison."""
    starts_inside = offset is None or not may_be_negative(offset)
    top = 0 if offset is None else largest(offset)
    ends_inside = top is not None and isinstance(available, int) and top // TILE + count <= available
    if starts_inside and ends_inside:
        return True
    place = body.named(place, name)
    return body.all([starts_inside or body.less(-1, place), ends_inside or body.less(place, available)])
