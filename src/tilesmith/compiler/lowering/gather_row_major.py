"""Gathers of rows within a core go through buffers in row-major order.

In tiles a row of a block is cut into pieces of 16 elements, each of which is a copy of its own. In row-major
order a row is one copy, and rows that follow each other are one copy together. The packer untilizes and the
unpacker tilizes faster than the NoC can be asked for the pieces.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.index_ranges import factor_of
from tilesmith.compiler.analysis.memory_effects import effects_of, is_buffer
from tilesmith.compiler.analysis.tile_geometry import FACE, TILE
from tilesmith.compiler.dialects.tile import AllocOp, CopyOp, FuncOp, LoadOp, ScalarOp, place_of
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.transfers.row_gather import find_row_gather
from tilesmith.compiler.pass_group import FunctionPass

ROW_MAJOR = "flat"
_FORMAT = "Float16_b"
_BLOCK_FLOATS = ("Bfp8_b",)


@dataclass(frozen=True)
class GatherRowMajor(FunctionPass):
    """Gather rows of a loaded buffer in row-major order: compute untilizes it, and tilizes the result."""

    name = "gather-row-major"

    def rewrite(self, func: FuncOp) -> None:
        gathers: dict[SSAValue, list[ScalarOp]] = {}
        for op in func.walk():
            if isinstance(op, ScalarOp) and (source := _gathered(op)) is not None:
                gathers.setdefault(source, []).append(op)
        for source, ops in gathers.items():
            load = _only_load(source)
            if load is not None and _is_only_read_by(source, ops, load):
                _rewrite(source, load, ops)


def _gathered(op: ScalarOp) -> SSAValue | None:
    """The buffer whose rows are gathered, if it and the result are matrices of whole tiles."""
    found = find_row_gather(op)
    if found is None or not is_buffer(found.read.source) or found.limit is not None:
        return None
    source, target = found.read.source, found.write.dest
    whole = target in effects_of(op).defines and _is_matrix(source) and _is_matrix(target)
    return source if whole and _buffer_type(target).format.data == _FORMAT else None


def _is_matrix(buffer: SSAValue) -> bool:
    buffer_type = _buffer_type(buffer)
    dims = buffer_type.dims
    return buffer_type.layout.data == "tiled" and len(dims) == 2 and not any(size % TILE for size in dims)


def _only_load(buffer: SSAValue) -> LoadOp | None:
    writers = [use.operation for use in buffer.uses if buffer in effects_of(use.operation).writes]
    (first, *more) = writers or [None]
    return first if isinstance(first, LoadOp) and not more else None


def _is_only_read_by(buffer: SSAValue, ops: list[ScalarOp], load: LoadOp) -> bool:
    users = {use.operation for use in buffer.uses}
    return all(user is load or any(op is user or op.is_ancestor(user) for op in ops) for user in users)


def _rewrite(source: SSAValue, load: LoadOp, ops: list[ScalarOp]) -> None:
    rows = _allocate(source)
    kept = {id(op) for op in ops if _keeps_blocks(op, load)}
    source = _stored_as_loaded(source, load)
    Rewriter.insert_op(_copy(source, rows, load), InsertPoint.after(load))
    for op in ops:
        target = op.writes[0]
        gathered = _allocate(target)
        for inner in (op, *op.body.walk()):
            for at, operand in enumerate(inner.operands):
                if operand in (source, target):
                    inner.operands[at] = rows if operand is source else gathered
        if id(op) in kept:
            target = _stored_as_loaded(target, load)
        Rewriter.insert_op(_copy(gathered, target, op), InsertPoint.after(op))


def _keeps_blocks(op: ScalarOp, load: LoadOp) -> bool:
    """Whether rows are gathered with the exponents they share: as block floats again, no value changes."""
    found, tensor = find_row_gather(op), place_of(load.tensor)
    if found is None or tensor is None or tensor.format.data not in _BLOCK_FLOATS:
        return False
    return all(factor_of(term) % FACE == 0 for term in found.first)


def _stored_as_loaded(buffer: SSAValue, load: LoadOp) -> SSAValue:
    """The buffer in the format of a tensor: block floats are converted when they are untilized."""
    buffer_type, tensor = _buffer_type(buffer), place_of(load.tensor)
    assert tensor is not None
    return Rewriter.replace_value_with_new_type(
        buffer,
        BufferType.of(
            buffer_type.dims,
            buffer_type.element_type,
            buffer_type.scope.data,
            buffer_type.layout.data,
            tensor.format.data,
        ),
    )


def _allocate(buffer: SSAValue) -> SSAValue:
    """A buffer like this one, in row-major order, right after it."""
    old, buffer_type = buffer.owner, _buffer_type(buffer)
    assert isinstance(old, AllocOp)
    new = AllocOp(
        f"{old.buffer_name.data}_rows",
        BufferType.of(buffer_type.dims, buffer_type.element_type, buffer_type.scope.data, ROW_MAJOR, _FORMAT),
    )
    new.location = old.location
    Rewriter.insert_op(new, InsertPoint.after(old))
    return new.buffer


def _copy(source: SSAValue, dest: SSAValue, op: LoadOp | ScalarOp) -> CopyOp:
    copy = CopyOp(source, dest)
    copy.location = op.location
    return copy


def _buffer_type(buffer: SSAValue) -> BufferType:
    buffer_type = place_of(buffer)
    assert isinstance(buffer_type, BufferType)
    return buffer_type
