"""What the operations of a kernel ask of the layouts of their buffers.

A `RequiredLayout` is for one operand: this operation needs that layout there. A `SameLayout` is between
operands: any layout will do, but the same one. `layout_choice` makes one layout per buffer out of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.analysis.index_expressions import constant_of, is_multiple
from tilesmith.compiler.analysis.tile_geometry import TILE, vector_dim
from tilesmith.compiler.dialects.tile import CopyOp, GemmOp, MapOp, ReduceOp, numbers, place_of
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.dialects.walk import walk


@dataclass(frozen=True)
class RequiredLayout:
    """Operand number `operand` of `op` needs `layout`."""

    op: Operation
    operand: int
    layout: str

    @property
    def buffer(self) -> SSAValue:
        return self.op.operands[self.operand]


@dataclass(frozen=True)
class SameLayout:
    """These buffers need the same layout; `flat` says whether elements in memory order will do."""

    buffers: tuple[SSAValue, ...]
    flat: bool


@dataclass(frozen=True)
class NotTileable:
    """An operation that does not work tile by tile, whatever the layouts are."""

    op: Operation


LayoutConstraint = RequiredLayout | SameLayout | NotTileable


def constraints_in(root: Operation) -> list[LayoutConstraint]:
    """What all operations inside ask for."""
    return [constraint for op in walk(root) for constraint in constraints_of(op)]


def constraints_of(op: Operation) -> Iterator[LayoutConstraint]:
    """What one operation asks for; loads, stores, fills and scalar code take any layout."""
    if isinstance(op, GemmOp):
        for operand in range(3):
            yield RequiredLayout(op, operand, "tiled")
    elif isinstance(op, ReduceOp):
        yield from _constraints_of_reduce(op)
    elif isinstance(op, MapOp):
        yield from _constraints_of_map(op)
    elif isinstance(op, CopyOp):
        yield from _constraints_of_copy(op)


def dims_of(buffer: SSAValue) -> tuple[int, ...]:
    buffer_type = place_of(buffer)
    assert isinstance(buffer_type, BufferType)
    return buffer_type.dims


def elements_of(buffer: SSAValue) -> int:
    buffer_type = place_of(buffer)
    assert isinstance(buffer_type, BufferType)
    return buffer_type.elements


def is_vector(dims: Sequence[int]) -> bool:
    """At most one of the last two dimensions is more than 1."""
    return sum(size > 1 for size in dims[-2:]) < 2


def _constraints_of_reduce(op: ReduceOp) -> Iterator[LayoutConstraint]:
    source, dim = dims_of(op.source), op.dim.value.data
    rank = len(source)
    if elements_of(op.dest) == 1:
        yield SameLayout((op.source,), flat=True)
        return
    if rank < 2 or op.reduction.data.startswith("bit"):
        yield NotTileable(op)
        return
    yield RequiredLayout(op, 0, "tiled")
    if dim == rank - 1:
        yield RequiredLayout(op, 1, "column" if source[-2] > 1 else "scalar")
    elif dim == rank - 2:
        yield RequiredLayout(op, 1, "row" if source[-1] > 1 else "scalar")
    else:
        yield RequiredLayout(op, 1, "tiled")


def _constraints_of_map(op: MapOp) -> Iterator[LayoutConstraint]:
    out = dims_of(op.out)
    entries = [numbers(entry) for entry in op.dims]
    inputs = [
        (operand, buffer, entry)
        for operand, (buffer, entry) in enumerate(zip(op.ins, entries, strict=True))
        if elements_of(buffer) > 1
    ]
    if all(_covers(dims_of(buffer), entry, out) for _, buffer, entry in inputs):
        same_size = all(elements_of(buffer) == elements_of(op.out) for _, buffer, _ in inputs)
        buffers = (op.out, *(buffer for _, buffer, _ in inputs))
        yield SameLayout(buffers, flat=same_size and not _uses_index(op))
    elif is_vector(out):
        yield from _constraints_along_vector(op, inputs)
    else:
        yield RequiredLayout(op, len(op.ins), "tiled")
        for operand, buffer, entry in inputs:
            layout = _layout_in_block(dims_of(buffer), entry, out)
            yield NotTileable(op) if layout is None else RequiredLayout(op, operand, layout)


def _constraints_along_vector(
    op: MapOp, inputs: Sequence[tuple[int, SSAValue, tuple[int, ...]]]
) -> Iterator[LayoutConstraint]:
    """A batch of vectors: inputs along the vector are laid out as the output, others are constant in it."""
    out = dims_of(op.out)
    along = vector_dim(out) if max(out[-2:]) > 1 else None
    alike = [op.out]
    for operand, buffer, entry in inputs:
        moving = _moving(dims_of(buffer), entry, out)
        if moving is None:
            yield NotTileable(op)
        elif along is None or along not in moving:
            yield RequiredLayout(op, operand, "scalar")
        elif moving[-1] == along:
            alike.append(buffer)
        else:
            yield NotTileable(op)
    if along is None:
        yield RequiredLayout(op, len(op.ins), "scalar")
    else:
        yield SameLayout(tuple(alike), flat=False)


def _constraints_of_copy(op: CopyOp) -> Iterator[LayoutConstraint]:
    source, dest = dims_of(op.source), dims_of(op.dest)
    sizes = numbers(op.sizes)
    follows = numbers(op.dims)
    whole = not op.source_offsets and not op.dest_offsets and sizes == source
    if whole and elements_of(op.source) == elements_of(op.dest) and _covers(source, follows, dest):
        yield SameLayout((op.source, op.dest), flat=True)
    elif _copies_whole_tiles(op, sizes, follows):
        yield RequiredLayout(op, 0, "tiled")
        yield RequiredLayout(op, 1 + len(op.source_offsets), "tiled")
    else:
        yield NotTileable(op)


def _copies_whole_tiles(op: CopyOp, sizes: Sequence[int], follows: Sequence[int]) -> bool:
    """Whether both ends of a copy start at tiles, and it stops at a tile or where the destination does."""
    dest = dims_of(op.dest)
    if len(sizes) < 2 or len(dest) < 2 or {*follows[-2:]} != {len(dest) - 2, len(dest) - 1}:
        return False
    batch = [dim for size, dim in zip(sizes[:-2], follows[:-2], strict=True) if size > 1]
    if batch != sorted(batch):
        return False
    for dim in (-2, -1):
        target = follows[dim]
        starts = [
            offsets[at] for offsets, at in ((op.source_offsets, dim), (op.dest_offsets, target)) if offsets
        ]
        if not all(is_multiple(start, TILE) for start in starts):
            return False
        first = constant_of(op.dest_offsets[target]) if op.dest_offsets else 0
        to_the_end = first is not None and first + sizes[dim] == dest[target]
        if sizes[dim] % TILE and not to_the_end:
            return False
    return True


def _uses_index(op: MapOp) -> bool:
    return any(arg.first_use is not None for arg in op.body.block.args[len(op.ins) :])


def _moving(dims: Sequence[int], entry: Sequence[int], out: Sequence[int]) -> list[int] | None:
    """The iteration dimensions an input follows, in the order of its own; None if it reads askew."""
    moving: list[int] = []
    for size, dim in zip(dims, entry, strict=True):
        if size > 1 and (dim < 0 or out[dim] == 1):
            return None
        if size > 1:
            moving.append(dim)
    return moving if len(set(moving)) == len(moving) else None


def _covers(dims: Sequence[int], entry: Sequence[int], out: Sequence[int]) -> bool:
    """Whether an input is walked as the output is, up to dimensions of size 1."""
    return _moving(dims, entry, out) == [dim for dim, size in enumerate(out) if size > 1]


def _layout_in_block(dims: Sequence[int], entry: Sequence[int], out: Sequence[int]) -> str | None:
    """The layout an input of a map over blocks needs; None if no layout lets the map work tile by tile."""
    moving = _moving(dims, entry, out)
    if moving is None:
        return None
    row, col = len(out) - 2, len(out) - 1
    batch = [dim for dim in moving if dim < row]
    if moving[: len(batch)] != batch or batch != sorted(batch):
        return None
    inside = moving[len(batch) :]
    if len(inside) == 2:
        return "tiled" if {entry[-2], entry[-1]} == {row, col} else None
    if not inside:
        return "scalar"
    return "column" if inside == [row] else "row"
