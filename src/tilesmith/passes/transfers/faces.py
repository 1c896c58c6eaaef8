"""Rows of faces straight from and to the pages of a row-major tensor: 16 elements to a NoC transfer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.ir import SSAValue

from tilesmith.dialects.tt_dataflow import ReadBarrierOp, ReadBytesOp, WriteBarrierOp, WriteBytesOp
from tilesmith.passes.geometry import FACE, axes_of
from tilesmith.passes.transfers.build import Body, Index
from tilesmith.passes.transfers.elements import bytes_of, is_stored_alike, position, storage_of
from tilesmith.passes.transfers.loops import each_line, guarded
from tilesmith.passes.transfers.ranges import factor_of
from tilesmith.passes.transfers.regions import Region


def moves_by_faces(region: Region, alignment: int) -> bool:
    """Whether runs lie along the rows of tiles, stored alike and aligned alike."""
    if region.buffer.layout.data != "tiled" or not is_stored_alike(region.buffer, region.tensor):
        return False
    axes = axes_of(region.buffer)
    if region.dims[-1] != axes.col or axes.row is None or region.run == 1:
        return False
    size = bytes_of(storage_of(region.tensor))
    span = region.spans[-1]
    start = span.offset if isinstance(span.offset, int) else factor_of(span.offset)
    return (
        region.page_length == region.sizes[-1]
        and span.first == 0
        and start * size % alignment == 0
        and FACE * size % alignment == 0
    )


def load_faces(body: Body, region: Region, accessor: SSAValue, target: SSAValue) -> None:
    with _each_face_row(body, region, target) as (page, offset, address, size):
        body.op(ReadBytesOp(accessor, page, offset, address, size))
    body.op(ReadBarrierOp.build())


def store_faces(body: Body, region: Region, accessor: SSAValue, source: SSAValue) -> None:
    with _each_face_row(body, region, source) as (page, offset, address, size):
        body.op(WriteBytesOp(accessor, page, offset, address, size))
    body.op(WriteBarrierOp.build())


@contextmanager
def _each_face_row(
    body: Body, region: Region, start: SSAValue
) -> Iterator[tuple[SSAValue, SSAValue, SSAValue, SSAValue]]:
    """Page, offset in it, address in L1 and bytes of every row of a face that is within the tensor."""
    length, stop = bytes_of(storage_of(region.tensor)), region.spans[-1].stop
    with (
        guarded(body, region),
        each_line(body, region, region.outer) as lines,
        body.loop(stop, "col", step=FACE) as col,
    ):
        turns = region.turns({**lines, len(region.block) - 1: col})
        page, element = region.place(body, turns)
        at = position(body, region.buffer, region.buffer_index(turns))
        address = body.add(start, body.mul(at, length))
        yield (
            body.value(page),
            body.value(body.mul(element, length)),
            body.value(address),
            body.value(_bytes(body, col, stop, length)),
        )


def _bytes(body: Body, col: Index, stop: Index, length: int) -> Index:
    if isinstance(stop, int) and stop % FACE == 0:
        return FACE * length
    return body.mul(body.smaller(FACE, body.sub(stop, col)), length)
