"""Where a buffer has another layout than an operation needs: a copy of it in the layout needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.analysis.layout_constraints import RequiredLayout, constraints_in
from tilesmith.compiler.analysis.memory_effects import effects_of
from tilesmith.compiler.analysis.tile_geometry import vector_dim
from tilesmith.compiler.dialects.tile import AllocOp, CopyOp, FuncOp, place_of
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.pass_group import FunctionPass
from tilesmith.compiler.transforms.scalarize import scalarize


@dataclass(frozen=True)
class ConvertLayouts(FunctionPass):
    """Copy a buffer to the layout an operation needs where the buffer has another."""

    name = "convert-layouts"

    def rewrite(self, func: FuncOp) -> None:
        convert_layouts(one for one in constraints_in(func) if isinstance(one, RequiredLayout))


def convert_layouts(required: Iterable[RequiredLayout]) -> None:
    """Meet every requirement that the choice of layouts did not. Buffers have their final types already."""
    copies: dict[tuple[SSAValue, str], AllocOp] = {}
    for requirement in required:
        buffer_type, layout = _buffer_type(requirement.buffer), requirement.layout
        if buffer_type.layout.data != layout and not (
            buffer_type.elements == 1 and layout in ("row", "column")
        ):
            _convert(requirement, copies)


def converts_by_tiles(dims: Sequence[int], layout: str, other: str) -> bool:
    """Whether compute can turn a buffer from one layout into the other: single vectors, tile by tile.

    >>> converts_by_tiles((64,), "row", "column"), converts_by_tiles((64,), "flat", "row")
    (True, False)
    """
    single = all(size == 1 for dim, size in enumerate(dims) if dim != vector_dim(dims))
    return single and "flat" not in (layout, other)


def _convert(requirement: RequiredLayout, copies: dict[tuple[SSAValue, str], AllocOp]) -> None:
    op, buffer = requirement.op, requirement.buffer
    effects = effects_of(op)
    reads, writes = buffer in effects.reads, buffer in effects.writes
    if (buffer, requirement.layout) not in copies:
        copies[buffer, requirement.layout] = _allocate(buffer, requirement.layout)
    temporary = copies[buffer, requirement.layout].buffer
    block = op.parent_block()
    assert block is not None
    operands = [at for at, operand in enumerate(op.operands) if operand is buffer]
    wanted = {requirement.operand} if len(operands) == 1 or not writes else set(operands)
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
    buffer_type = _buffer_type(buffer)
    new = AllocOp(
        f"{old.buffer_name.data}_{layout}",
        BufferType.of(
            buffer_type.dims,
            buffer_type.element_type,
            buffer_type.scope.data,
            layout,
            buffer_type.format.data,
        ),
    )
    new.location = old.location
    block = old.parent_block()
    assert block is not None
    block.insert_op_after(new, old)
    return new


def _buffer_type(buffer: SSAValue) -> BufferType:
    buffer_type = place_of(buffer)
    assert isinstance(buffer_type, BufferType)
    return buffer_type
