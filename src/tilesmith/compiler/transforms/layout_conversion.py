"""Where a buffer has another layout than an operation needs: a copy of it in the layout needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.analysis.layout_constraints import Wish
from tilesmith.compiler.analysis.memory_effects import effects_of
from tilesmith.compiler.analysis.tile_geometry import vector_dim
from tilesmith.compiler.dialects.tile import AllocOp, CopyOp, place_of
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.transforms.scalarize import scalarize


def repair(wishes: Iterable[Wish]) -> None:
    """Meet every wish that the choice of layouts did not. Buffers have their final types already."""
    copies: dict[tuple[SSAValue, str], AllocOp] = {}
    for wish in wishes:
        kind = _buffer_type(wish.buffer)
        if kind.layout.data != wish.layout and not (kind.elements == 1 and wish.layout in ("row", "column")):
            _repair(wish, copies)


def converts_by_tiles(dims: Sequence[int], one: str, other: str) -> bool:
    """Whether compute can turn a buffer from one layout into the other: single vectors, tile by tile.

    >>> converts_by_tiles((64,), "row", "column"), converts_by_tiles((64,), "flat", "row")
    (True, False)
    """
    single = all(size == 1 for dim, size in enumerate(dims) if dim != vector_dim(dims))
    return single and "flat" not in (one, other)


def _repair(wish: Wish, copies: dict[tuple[SSAValue, str], AllocOp]) -> None:
    op, buffer = wish.op, wish.buffer
    effects = effects_of(op)
    reads, writes = buffer in effects.reads, buffer in effects.writes
    if (buffer, wish.layout) not in copies:
        copies[buffer, wish.layout] = _allocate(buffer, wish.layout)
    temporary = copies[buffer, wish.layout].buffer
    block = op.parent_block()
    assert block is not None
    operands = [at for at, operand in enumerate(op.operands) if operand is buffer]
    wanted = {wish.operand} if len(operands) == 1 or not writes else set(operands)
    for at in wanted:
        op.operands[at] = temporary
    if reads:
        before = _copy(buffer, temporary, op)
        block.insert_op_before(before, op)
        _by_elements_if_needed(before)
    if writes:
        after = _copy(temporary, buffer, op)
        block.insert_op_after(after, op)
        _by_elements_if_needed(after)


def _copy(source: SSAValue, dest: SSAValue, op: Operation) -> CopyOp:
    copy = CopyOp(source, dest)
    copy.location = op.location
    return copy


def _by_elements_if_needed(copy: CopyOp) -> None:
    source, dest = _buffer_type(copy.source), _buffer_type(copy.dest)
    if not converts_by_tiles(source.dims, source.layout.data, dest.layout.data):
        scalarize(copy)


def _allocate(buffer: SSAValue, layout: str) -> AllocOp:
    """Another buffer like this one, right after it."""
    old = buffer.owner
    assert isinstance(old, AllocOp)
    kind = _buffer_type(buffer)
    new = AllocOp(
        f"{old.buffer_name.data}_{layout}",
        BufferType.of(kind.dims, kind.element_type, kind.scope.data, layout, kind.format.data),
    )
    new.location = old.location
    block = old.parent_block()
    assert block is not None
    block.insert_op_after(new, old)
    return new


def _buffer_type(buffer: SSAValue) -> BufferType:
    kind = place_of(buffer)
    assert isinstance(kind, BufferType)
    return kind
