"""Regions of row-major tensors, run by run: through scratch memory, or straight into the rows of faces.

A run is read to an address that is aligned as its source is, then its elements are put where the buffer keeps
them. Several runs share a barrier.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.ir import SSAValue

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.tile_geometry import tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import (
    CopyBytesOp,
    ReadBarrierOp,
    ReadBytesOp,
    WriteBarrierOp,
    WriteBytesOp,
    ZeroPagesOp,
)
from tilesmith.compiler.lowering.transfers.barriers import end_writes
from tilesmith.compiler.lowering.transfers.build import Body, Index
from tilesmith.compiler.lowering.transfers.combine import combined
from tilesmith.compiler.lowering.transfers.elements import (
    bytes_of,
    get,
    load_word,
    put,
    storage_of,
    store_word,
)
from tilesmith.compiler.lowering.transfers.loops import Batch, batches
from tilesmith.compiler.lowering.transfers.regions import Region, region_of
from tilesmith.compiler.lowering.transfers.scratch import scratch
from tilesmith.compiler.lowering.transfers.straight import each_strip, load_straight, store_straight, strip_of
from tilesmith.compiler.lowering.transfers.tensors import Transfer, accessor_of, address_of, name_of, role_of

RUNS_PER_BARRIER = 32
SCRATCH_BYTES = 32 * 1024
"""How much memory the runs between two barriers may take."""


@dataclass(frozen=True)
class Run:
    """Neighbouring elements of one page, and the scratch memory they pass through."""

    turns: tuple[Index, ...]
    page: Index
    offset: Index
    count: Index
    address: Index


@dataclass(frozen=True)
class Slots:
    """The scratch memory of a transfer: a slot for each run between two barriers."""

    address: SSAValue
    size: int
    lines: int
    pieces: int
    alignment: int


def load_rows(op: tile.LoadOp, arch: Arch) -> tt.StageOp:
    body, accessor = Body(), accessor_of(op, op.tensor)
    region = region_of(body, op)
    target = address_of(body, op.buffer, "write")
    with body.when(region.leaves_lanes(body)):
        body.op(ZeroPagesOp(op.buffer, body.value(0), tiles_of(region.buffer)))
        body.op(ReadBarrierOp.build())
    strip = strip_of(region, arch.dram_alignment)
    if strip is not None:
        load_straight(body, region, accessor, target, strip)
        body.op(ReadBarrierOp.build())
    else:
        _load_through_scratch(body, op, region, arch, target)
    title = f"load {op.buffer.name_hint} from {name_of(op.tensor)}"
    return tt.StageOp(role_of(op), title, [], [op.buffer], body.region)


def _load_through_scratch(body: Body, op: tile.LoadOp, region: Region, arch: Arch, target: SSAValue) -> None:
    storage, accessor = storage_of(region.tensor), accessor_of(op, op.tensor)
    slots = slots_for(body, op, region, arch)
    strip = strip_of(region, arch.l1_alignment)
    for batch in batches(body, region, slots.lines, slots.pieces):
        with each_run(body, region, slots, batch) as run:
            _transfer(body, ReadBytesOp, accessor, run, storage)
        body.op(ReadBarrierOp.build())
        if strip is not None and region.pieces == 1:
            with each_run(body, region, slots, batch) as run:
                _copy_strips(body, region, run, target, strip)
            body.op(ReadBarrierOp.build())
            continue
        with each_run(body, region, slots, batch) as run, each_element(body, region, run) as (index, i):
            value = load_word(body, body.value(run.address), i, storage)
            put(body, region.buffer, target, index, value)


def _copy_strips(body: Body, region: Region, run: Run, target: SSAValue, strip: int) -> None:
    """L1 is aligned finer than DRAM: from scratch memory, strips can go to the buffer over the NoC."""
    lines = {dim: turn for dim, turn in enumerate(run.turns) if dim in region.outer}
    with each_strip(body, region, lines, target, strip) as piece:
        within = body.mul(piece.turns[-1], bytes_of(storage_of(region.tensor)))
        source = body.value(body.add(run.address, within))
        body.op(CopyBytesOp(source, piece.address, piece.size))


def store_rows(op: tile.StoreOp, arch: Arch) -> tt.StageOp:
    body, accessor = Body(), accessor_of(op, op.tensor)
    region = region_of(body, op)
    source = address_of(body, op.buffer, "read")
    strip = None if op.accumulate.data else strip_of(region, arch.dram_write_alignment)
    if strip is not None:
        store_straight(body, region, accessor, source, strip)
        end_writes(body, op)
    else:
        _store_through_scratch(body, op, region, arch, source)
    verb = f"{op.accumulate.data or 'store'} {op.buffer.name_hint} {'in' if op.accumulate.data else ''}to"
    return tt.StageOp(role_of(op), f"{verb} {name_of(op.tensor)}", [op.buffer], [], body.region)


def _store_through_scratch(
    body: Body, op: tile.StoreOp, region: Region, arch: Arch, source: SSAValue
) -> None:
    storage, accessor = storage_of(region.tensor), accessor_of(op, op.tensor)
    slots, how = slots_for(body, op, region, arch), op.accumulate.data
    for batch in batches(body, region, slots.lines, slots.pieces):
        if how:
            with each_run(body, region, slots, batch) as run:
                _transfer(body, ReadBytesOp, accessor, run, storage)
            body.op(ReadBarrierOp.build())
        with each_run(body, region, slots, batch) as run:
            with each_element(body, region, run) as (index, i):
                value = get(body, region.buffer, source, index)
                if how:
                    value = combined(body, how, load_word(body, body.value(run.address), i, storage), value)
                store_word(body, body.value(run.address), i, value, storage)
            _transfer(body, WriteBytesOp, accessor, run, storage)
        body.op(WriteBarrierOp.build())


def _transfer(
    body: Body,
    op_class: type[ReadBytesOp] | type[WriteBytesOp],
    accessor: SSAValue,
    run: Run,
    storage: str,
) -> None:
    size = body.mul(run.count, bytes_of(storage))
    body.op(
        op_class(
            accessor,
            body.value(run.page),
            body.value(run.offset),
            body.value(run.address),
            body.value(size),
        )
    )


def slots_for(body: Body, op: Transfer, region: Region, arch: Arch) -> Slots:
    alignment = arch.dram_alignment
    raw = region.piece * bytes_of(storage_of(region.tensor)) + alignment
    size = -(-raw // alignment) * alignment
    lines = region.block[region.outer[-1]] if region.outer else 1
    most = max(1, min(RUNS_PER_BARRIER, SCRATCH_BYTES // size))
    pieces = min(region.pieces, most)
    lines = min(lines, most // pieces)
    return Slots(scratch(body, op, size * lines * pieces, arch), size, lines, pieces, alignment)


@contextmanager
def each_run(body: Body, region: Region, slots: Slots, batch: Batch) -> Iterator[Run]:
    """Loops over the lines of a batch and the pieces of each line."""
    length = bytes_of(storage_of(region.tensor))
    with (
        body.loop(batch.stop, "line", batch.first) as line,
        _each_piece(body, region, batch) as (part, start, stop),
    ):
        turns = region.turns({**batch.turns(region, line), len(region.block) - 1: start})
        page, element = region.place(body, turns)
        offset = body.named(body.mul(element, length), "offset")
        slot = body.add(body.mul(body.sub(line, batch.first), slots.pieces), part)
        within = body.add(body.mul(slot, slots.size), body.rem(offset, slots.alignment))
        yield Run(
            turns,
            body.named(page, "page"),
            offset,
            body.named(body.sub(stop, start), "length"),
            body.named(body.add(slots.address, within), "run"),
        )


@contextmanager
def _each_piece(body: Body, region: Region, batch: Batch) -> Iterator[tuple[Index, Index, Index]]:
    """Loops over pieces of a run: the number of the piece in its batch, and its first and last turn."""
    span, size = region.spans[-1], region.piece
    if region.pieces == 1:
        yield 0, span.first, span.stop
        return
    with body.loop(batch.last_piece, "piece", batch.first_piece) as piece:
        start = body.mul(piece, size)
        stop = body.smaller(body.add(start, size), span.stop)
        first = start if span.first == 0 else body.larger(start, span.first)
        yield body.sub(piece, batch.first_piece), first, stop


@contextmanager
def each_element(body: Body, region: Region, run: Run) -> Iterator[tuple[list[Index], Index]]:
    """Loops over a run: the element's index in the buffer, and its place in the run."""
    with body.loop(run.count, "i") as i:
        index = region.buffer_index((*run.turns[:-1], body.add(run.turns[-1], i)))
        yield index, i
