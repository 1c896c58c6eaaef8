"""Regions of row-major tensors: which runs of which pages hold them, and where those go in the buffer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.analysis.index_ranges import factor_of, largest, may_be_negative
from tilesmith.compiler.analysis.tile_geometry import is_padded
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.compiler.lowering.transfers.build import Body, Index, index_of
from tilesmith.compiler.lowering.transfers.tensors import (
    Transfer,
    buffer_of,
    linear,
    parameter_of,
    sizes_of,
    tensor_of,
)

LONGEST_RUN = 2048
"""Elements: longer runs are moved in pieces, so that scratch memory stays small."""


@dataclass(frozen=True)
class Span:
    """Along one dimension: the elements from `first` up to `stop`, counted from the offset, are moved."""

    offset: Index
    first: Index
    stop: Index


@dataclass(frozen=True)
class Region:
    """What a transfer moves, dimension by dimension of its tensor."""

    tensor: TensorType
    buffer: BufferType
    sizes: tuple[Index, ...]
    page_length: Index
    block: tuple[int, ...]
    dims: tuple[int, ...]
    spans: tuple[Span, ...]
    piece: int

    @property
    def outer(self) -> tuple[int, ...]:
        """The dimensions to loop over, outside of the runs."""
        return tuple(d for d in range(len(self.block) - 1) if self.block[d] > 1)

    @property
    def run(self) -> int:
        return self.block[-1]

    @property
    def is_split(self) -> bool:
        """Whether runs may cross from page to page, so that the tensor's rows are not its pages."""
        return self.page_length != self.sizes[-1]

    @property
    def pieces(self) -> int:
        return -(-self.run // self.piece)

    def leaves_lanes(self, body: Body) -> bool | SSAValue:
        """Whether some lane of the buffer's tiles gets no element: padding, or offsets of a call, decide."""
        if any(is_padded(self.buffer, dim) for dim in range(len(self.buffer.dims))):
            return True
        open_spans = [
            (span, size)
            for span, size in zip(self.spans, self.block, strict=True)
            if not (span.first == 0 and span.stop == size)
        ]
        moved: Index = 0
        for span, _ in open_spans:
            moved = body.add(moved, body.sub(span.stop, span.first))
        return body.less(moved, sum(size for _, size in open_spans))

    def turns(self, known: Mapping[int, Index]) -> tuple[Index, ...]:
        """One turn per dimension of the tensor; those that are not looped over stay at 0."""
        return tuple(known.get(dim, 0) for dim in range(len(self.block)))

    def buffer_index(self, turns: Sequence[Index]) -> list[Index]:
        """The element of the buffer that belongs to one turn per dimension of the tensor."""
        index: list[Index] = [0] * len(self.buffer.dims)
        for turn, dim in zip(turns, self.dims, strict=True):
            if dim >= 0:
                index[dim] = turn
        return index

    def place(self, body: Body, turns: Sequence[Index]) -> tuple[Index, Index]:
        """The page and the element in it that belong to one turn per dimension of the tensor."""
        indices = [body.add(span.offset, turn) for span, turn in zip(self.spans, turns, strict=True)]
        return _page_of(body, indices, self.sizes, self.page_length)


def region_of(body: Body, op: Transfer) -> Region:
    tensor = tensor_of(op.tensor)
    sizes = sizes_of(op, tensor.dims)
    page_length = _page_length(op, op.tensor)
    block = tuple(int(size) for size in op.sizes.get_values())
    limits: Sequence[SSAValue | None] = list(op.limits) or [None] * len(sizes)
    spans = tuple(
        _span(body, offset, size, whole, limit)
        for offset, size, whole, limit in zip(op.offsets, block, sizes, limits, strict=True)
    )
    dims = tuple(int(dim) for dim in op.dims.get_values())
    piece = _piece(block[-1], sizes[-1], page_length, op.offsets[-1])
    return Region(tensor, buffer_of(op.buffer), sizes, page_length, block, dims, spans, piece)


def place_of_element(
    body: Body, op: Operation, tensor: SSAValue, indices: Sequence[Index]
) -> tuple[Index, Index]:
    """The page of an element of a tensor or view, and its place in the page."""
    sizes = sizes_of(op, tensor_of(tensor).dims)
    return _page_of(body, indices, sizes, _page_length(op, tensor))


def _page_length(op: Operation, tensor: SSAValue) -> Index:
    return sizes_of(op, tensor_of(parameter_of(tensor)).dims)[-1]


def _page_of(
    body: Body, indices: Sequence[Index], sizes: Sequence[Index], page_length: Index
) -> tuple[Index, Index]:
    if page_length == sizes[-1]:
        return linear(body, indices[:-1], sizes[:-1]), indices[-1]
    place = body.named(linear(body, indices, sizes), "place")
    return body.div(place, page_length), body.rem(place, page_length)


def _span(body: Body, offset: SSAValue, size: int, whole: Index, limit: SSAValue | None) -> Span:
    at = index_of(offset)
    first: Index = 0
    if may_be_negative(offset):
        first = body.named(body.larger(0, body.sub(0, at)), "first")
    stop: Index = size if limit is None else body.smaller(size, index_of(limit))
    top = largest(offset)
    if top is None or not isinstance(whole, int) or top + size > whole:
        stop = body.smaller(stop, body.sub(whole, at))
    return Span(at, first, body.named(stop, "count"))


def _piece(run: int, row: Index, page: Index, offset: SSAValue) -> int:
    """How many elements to move at once: runs of a view may cross from page to page, pieces never do."""
    if row == page:
        return min(run, LONGEST_RUN)
    known = [size if isinstance(size, int) else 1 for size in (row, page)]
    safe = gcd(run, *known, factor_of(offset))
    return max(size for size in range(1, min(safe, LONGEST_RUN) + 1) if safe % size == 0)
