"""Gathers of whole rows from a buffer of the same core, over the NoC.

In row-major order a row is one copy. Where row i comes from row i + offset, and rows are whole, all of them
are one copy, and rows that a guard leaves out are zeroed afterwards. In tiles the rows of a face lie one
behind the other: up to sixteen of them are one copy, and other gathers copy a face row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import gcd

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.index_ranges import factor_of
from tilesmith.compiler.analysis.memory_effects import is_buffer
from tilesmith.compiler.analysis.tile_geometry import FACE
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.tt_dataflow import CopyBytesOp, ReadBarrierOp, ZeroBytesOp
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.transfers.build import Body, Index, index_of
from tilesmith.compiler.lowering.transfers.elements import bytes_of, position, storage_of
from tilesmith.compiler.lowering.transfers.row_gather import (
    Copies,
    RowGather,
    depends,
    find_row_gather,
    terms_of,
)
from tilesmith.compiler.lowering.transfers.tensors import address_of, buffer_of, role_of
from tilesmith.formats import DataFormat


def gather_held_rows(op: tile.ScalarOp, arch: Arch) -> tt.StageOp | None:
    """The stage of a scalar loop that gathers rows of a buffer; None if it does something else."""
    found = find_row_gather(op)
    if found is None or not _runs_straight(found, arch):
        return None
    body, source, buffer = Body(), found.read.source, found.write.dest
    places = _Places(
        body,
        op,
        found,
        buffer_of(source),
        buffer_of(buffer),
        address_of(body, source, "read"),
        address_of(body, buffer, "write"),
    )
    offset = _offset(places) if places.has_whole_rows or not places.is_row_major else None
    if offset is None:
        _line_by_line(places)
    else:
        with body.when(_is_held(places, offset)):
            if places.is_row_major:
                _moved_at_once(places, offset)
            else:
                _shifted(places, offset)
            _zero_others(places)
        with body.otherwise():
            _line_by_line(places)
    body.op(ReadBarrierOp.build())
    title = f"gather rows of {source.name_hint} to {buffer.name_hint}"
    return tt.StageOp(role_of(op), title, [source], [buffer], body.region)


@dataclass(frozen=True)
class _Places:
    """The buffers of a gather, and where their pages start."""

    body: Body
    op: tile.ScalarOp
    found: RowGather
    source: BufferType
    target: BufferType
    source_at: SSAValue
    target_at: SSAValue

    @property
    def is_row_major(self) -> bool:
        return self.target.layout.data == "flat"

    @property
    def has_whole_rows(self) -> bool:
        """Whether rows of the result are as long as those they come from."""
        return not self.found.first and self.source.dims[1] == self.target.dims[1]

    @property
    def row(self) -> int:
        """How many elements of a row lie together."""
        return self.target.dims[1] if self.is_row_major else FACE

    @property
    def row_bytes(self) -> int:
        """Of what lies together."""
        return self.row * bytes_of(storage_of(self.target))

    def copies(self, line: Index) -> Copies:
        return Copies(self.body, self.op, {self.found.line: self.body.value(line)})

    def from_row(self, row: Index, first: Index, col: Index) -> SSAValue:
        return self._at(self.source_at, self.source, row, self.body.add(first, col))

    def to_row(self, row: Index, col: Index) -> SSAValue:
        return self._at(self.target_at, self.target, row, col)

    def _at(self, start: SSAValue, buffer: BufferType, row: Index, col: Index) -> SSAValue:
        size = bytes_of(storage_of(buffer))
        within = self.body.mul(position(self.body, buffer, [row, col]), size)
        return self.body.value(self.body.add(start, within))

    def first_column(self, copies: Copies) -> Index:
        first: Index = 0
        for term in self.found.first:
            first = self.body.add(first, index_of(copies.of(term)))
        return first

    @contextmanager
    def columns(self) -> Iterator[Index]:
        with self.body.loop(self.target.dims[1], "col", step=self.row) as col:
            yield col

    def guard(self, copies: Copies) -> bool | SSAValue:
        return self.body.all([copies.of(one) for together in self.found.guards for one in together])


def _line_by_line(places: _Places) -> None:
    body = places.body
    with body.loop(places.target.dims[0], "line") as line:
        copies = places.copies(line)
        size = body.value(places.row_bytes)
        with body.when(places.guard(copies)):
            row = index_of(copies.of(places.found.read.indices[0]))
            first = places.first_column(copies)
            with places.columns() as col:
                body.op(CopyBytesOp(places.from_row(row, first, col), places.to_row(line, col), size))
        if places.found.guards:
            with body.otherwise(), places.columns() as col:
                body.op(ZeroBytesOp(places.to_row(line, col), size))


def _shifted(places: _Places, offset: Index) -> None:
    """Two copies for the sixteen rows of a face: the end of one face of the source, the start of the next."""
    body, size = places.body, places.row_bytes
    within = body.named(body.rem(offset, FACE), "within")
    ahead = body.named(body.sub(FACE, within), "ahead")
    first = places.first_column(places.copies(0))
    head, tail = (body.value(body.mul(count, size)) for count in (ahead, within))
    with body.loop(places.target.dims[0], "line", step=FACE) as line, places.columns() as col:
        row, target = body.named(body.add(offset, line), "row"), places.to_row(line, col)
        body.op(CopyBytesOp(places.from_row(row, first, col), target, head))
        with body.when(body.less(0, within)):
            after = places.from_row(body.add(row, ahead), first, col)
            body.op(CopyBytesOp(after, body.value(body.add(target, head)), tail))


def _moved_at_once(places: _Places, offset: Index) -> None:
    size = places.body.value(places.target.dims[0] * places.row_bytes)
    places.body.op(CopyBytesOp(places.from_row(offset, 0, 0), places.to_row(0, 0), size))


def _zero_others(places: _Places) -> None:
    """Zero the rows that a guard leaves out."""
    body, size = places.body, places.row_bytes
    if not any(places.found.guards):
        return
    body.op(ReadBarrierOp.build())
    with body.loop(places.target.dims[0], "line") as line:
        inside = places.guard(places.copies(line))
        with body.when(_opposite(body, inside)), places.columns() as col:
            body.op(ZeroBytesOp(places.to_row(line, col), body.value(size)))


def _opposite(body: Body, condition: bool | SSAValue) -> bool | SSAValue:
    if isinstance(condition, bool):
        return not condition
    yes = body.op(arith.ConstantOp.from_int_and_width(1, 1)).results[0]
    return body.op(arith.XOrIOp(condition, yes)).results[0]


def _offset(places: _Places) -> Index | None:
    """How far the source of a row lies from the row, if that is as far for all; computed before the loop."""
    found, op = places.found, places.op
    terms = terms_of(found.read.indices[0])
    others = [term for term in terms if term is not found.line]
    if len(others) != len(terms) - 1 or any(depends(term, found.line, op) for term in others):
        return None
    copies, offset = places.copies(0), 0
    total: Index = offset
    for term in others:
        total = places.body.add(total, index_of(copies.of(term)))
    return places.body.named(total, "offset")


def _is_held(places: _Places, offset: Index) -> bool | SSAValue:
    """Whether the buffer has all the rows that are moved."""
    body = places.body
    end = body.add(offset, places.target.dims[0])
    return body.all([body.less(-1, offset), body.less(end, places.source.dims[0] + 1)])


def _runs_straight(found: RowGather, arch: Arch) -> bool:
    """Whether rows of faces are stored and aligned alike in both buffers, and whole."""
    if not is_buffer(found.read.source) or found.limit is not None:
        return False
    source, target = buffer_of(found.read.source), buffer_of(found.write.dest)
    formats = {source.format.data, target.format.data}
    if len(formats) > 1 or DataFormat[source.format.data].is_block_float:
        return False
    if {source.layout.data, target.layout.data} == {"flat"}:
        row = gcd(source.dims[-1], target.dims[-1], *map(factor_of, found.first))
        return (
            len(source.dims) == len(target.dims) == 2
            and row * bytes_of(storage_of(target)) % arch.l1_alignment == 0
        )
    tiled = all(_is_matrix_of_tiles(one) for one in (source, target))
    start = gcd(*map(factor_of, found.first)) if found.first else 0
    aligned = FACE * bytes_of(storage_of(target)) % arch.l1_alignment == 0
    return tiled and aligned and start % FACE == 0


def _is_matrix_of_tiles(buffer: BufferType) -> bool:
    return (
        buffer.layout.data == "tiled"
        and len(buffer.dims) == 2
        and not any(size % FACE for size in buffer.dims)
    )
