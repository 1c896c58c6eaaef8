"""Loops over the lines of a region of a row-major tensor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tilesmith.compiler.lowering.transfers.build import Body, Index
from tilesmith.compiler.lowering.transfers.regions import Region


@dataclass(frozen=True)
class Batch:
    """Lines that share a barrier: some turns of the innermost dimension, one turn of those outside.

    Lines in very many pieces do not: of each, the pieces from `first_piece` up to `last_piece` do.
    """

    outer: dict[int, Index]
    first: Index
    stop: Index
    first_piece: Index
    last_piece: Index

    def turns(self, region: Region, line: Index) -> dict[int, Index]:
        return {**self.outer, region.outer[-1]: line} if region.outer else self.outer


@contextmanager
def guarded(body: Body, region: Region) -> Iterator[None]:
    """Nothing is moved where a dimension of one element, or the run, is outside of the tensor."""
    last = len(region.block) - 1
    single = [dim for dim in range(last + 1) if region.block[dim] == 1 or dim == last]
    inside = [body.less(region.spans[dim].first, region.spans[dim].stop) for dim in single]
    with body.when(body.all(inside)):
        yield


@contextmanager
def each_line(body: Body, region: Region, dims: tuple[int, ...]) -> Iterator[dict[int, Index]]:
    """Loops over some dimensions of the tensor, outermost first."""
    if not dims:
        yield {}
        return
    span = region.spans[dims[0]]
    name = "line" if dims[0] == region.outer[-1] else f"dim{dims[0]}"
    with body.loop(span.stop, name, span.first) as turn, each_line(body, region, dims[1:]) as rest:
        yield {dims[0]: turn, **rest}


def batches(body: Body, region: Region, lines: int, pieces: int) -> Iterator[Batch]:
    """Loops over the region, some lines at a time, or some pieces of one.

    What is built while a batch is held is the loops' body.
    """
    run = region.spans[-1]
    first, last = body.div(run.first, region.piece), body.ceil_div(run.stop, region.piece)
    with guarded(body, region), each_line(body, region, region.outer[:-1]) as outer:
        for start, stop in _lines(body, region, lines):
            if region.pieces <= pieces:
                yield Batch(outer, start, stop, first, last)
                continue
            with body.loop(last, "first_piece", first, pieces) as piece:
                end = body.named(body.smaller(body.add(piece, pieces), last), "last_piece")
                yield Batch(outer, start, stop, piece, end)


def _lines(body: Body, region: Region, count: int) -> Iterator[tuple[Index, Index]]:
    if not region.outer:
        yield 0, 1
        return
    span = region.spans[region.outer[-1]]
    if isinstance(span.stop, int) and span.first == 0 and span.stop <= count:
        yield 0, span.stop
        return
    with body.loop(span.stop, "first_line", span.first, count) as first:
        stop = body.smaller(body.add(first, count), span.stop)
        yield first, body.named(stop, "last_line")
