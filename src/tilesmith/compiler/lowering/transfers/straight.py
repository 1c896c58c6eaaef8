"""Runs that lie in the buffer as they do in the tensor: straight from and to the pages.

In tiles that is 16 elements, the row of a face; in a flat buffer it is the whole run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.ir import SSAValue

from tilesmith.compiler.analysis.index_ranges import factor_of
from tilesmith.compiler.analysis.tile_geometry import FACE, axes_of
from tilesmith.compiler.dialects.tt_dataflow import ReadBytesOp, WriteBytesOp
from tilesmith.compiler.lowering.transfers.build import Body, Index
from tilesmith.compiler.lowering.transfers.elements import bytes_of, is_stored_alike, position, storage_of
from tilesmith.compiler.lowering.transfers.loops import each_line, guarded
from tilesmith.compiler.lowering.transfers.regions import Region


def strip_of(region: Region, alignment: int) -> int | None:
    """How many elements lie together in the buffer and in a page, stored and aligned alike, if any do."""
    if not is_stored_alike(region.buffer, region.tensor) or region.run == 1 or region.is_split:
        return None
    size, span = bytes_of(storage_of(region.tensor)), region.spans[-1]
    start = span.offset if isinstance(span.offset, int) else factor_of(span.offset)
    if span.first != 0 or start * size % alignment:
        return None
    strip = _strip_in_buffer(region)
    # One strip is as good as another if each starts at a multiple of the alignment.
    alike = strip is not None and (
        strip * size % alignment == 0 or (strip >= region.run and not region.outer)
    )
    return strip if alike else None


def _strip_in_buffer(region: Region) -> int | None:
    last = len(region.buffer.dims) - 1
    if region.buffer.layout.data == "flat":
        return region.run if region.dims[-1] == last and region.run == region.buffer.dims[last] else None
    axes = axes_of(region.buffer)
    return FACE if axes.row is not None and region.dims[-1] == axes.col else None


@dataclass(frozen=True)
class Strip:
    """Elements that lie together: their index in the buffer, their place in the tensor, and their bytes."""

    turns: tuple[Index, ...]
    address: SSAValue
    size: SSAValue


def load_straight(body: Body, region: Region, accessor: SSAValue, target: SSAValue, strip: int) -> None:
    with _strips(body, region, target, strip) as piece:
        body.op(ReadBytesOp(accessor, *_place(body, region, piece), piece.address, piece.size))


def store_straight(body: Body, region: Region, accessor: SSAValue, source: SSAValue, strip: int) -> None:
    with _strips(body, region, source, strip) as piece:
        body.op(WriteBytesOp(accessor, *_place(body, region, piece), piece.address, piece.size))


@contextmanager
def _strips(body: Body, region: Region, start: SSAValue, strip: int) -> Iterator[Strip]:
    with (
        guarded(body, region),
        each_line(body, region, region.outer) as lines,
        each_strip(body, region, lines, start, strip) as piece,
    ):
        yield piece


def _place(body: Body, region: Region, strip: Strip) -> tuple[SSAValue, SSAValue]:
    page, element = region.place(body, strip.turns)
    return body.value(page), body.value(body.mul(element, bytes_of(storage_of(region.tensor))))


@contextmanager
def each_strip(
    body: Body, region: Region, lines: dict[int, Index], start: SSAValue, strip: int
) -> Iterator[Strip]:
    """Loops over the strips of a line that are within the tensor; `start` is where the buffer's pages do."""
    length, stop = bytes_of(storage_of(region.buffer)), region.spans[-1].stop
    with body.loop(stop, "col", step=strip) as col:
        turns = region.turns({**lines, len(region.block) - 1: col})
        at = position(body, region.buffer, region.buffer_index(turns))
        count: Index = strip
        if not isinstance(stop, int) or stop % strip:
            count = body.smaller(strip, body.sub(stop, col))
        address = body.add(start, body.mul(at, length))
        yield Strip(turns, body.value(address), body.value(body.mul(count, length)))
