"""Loads and stores that change element types as the NoC cannot: through a buffer of the tensor's type."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.memory_effects import effects_of
from tilesmith.compiler.dialects.conversions import fits, is_rounded_type, is_unsigned, keeps_values
from tilesmith.compiler.dialects.elements import bits_of, is_float
from tilesmith.compiler.dialects.tile import AllocOp, CopyOp, FuncOp, LoadOp, StoreOp, place_of
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.dialects.walk import walk
from tilesmith.compiler.pass_group import FunctionPass


@dataclass(frozen=True)
class ConvertTransfers(FunctionPass):
    """Let a copy on the core change element types where the NoC cannot."""

    name = "convert-transfers"

    def rewrite(self, func: FuncOp) -> None:
        convert_in_buffers(func)


def convert_in_buffers(func: FuncOp) -> None:
    """Leave no transfer that would have to wrap, round or compare: a copy on the core does that."""
    for op in [op for op in walk(func) if isinstance(op, LoadOp | StoreOp)]:
        tensor, buffer = _element_of(op.tensor), _element_of(op.buffer)
        source, dest = (tensor, buffer) if isinstance(op, LoadOp) else (buffer, tensor)
        # A narrow float is rounded on the way back to the host, unless the kernel itself reads it.
        rounds = is_rounded_type(dest) and not fits(source, dest)
        if needs_conversion(source, dest) or (rounds and (isinstance(op, LoadOp) or _is_loaded(op.tensor))):
            _through_a_buffer(op, tensor)


def needs_conversion(source: Attribute, dest: Attribute) -> bool:
    """Whether elements of one type become elements of the other by more than being stored in its format.

    >>> from xdsl.dialects.builtin import f32, i1, i8, i32
    >>> needs_conversion(i32, f32), needs_conversion(i32, i8), needs_conversion(f32, i1)
    (False, True, True)
    """
    if not is_float(dest):
        return not keeps_values(source, dest)
    return is_unsigned(source) and bits_of(source) == 32


def _is_loaded(tensor: SSAValue) -> bool:
    return any(tensor in effects_of(use.operation).reads for use in tensor.uses)


def _through_a_buffer(op: LoadOp | StoreOp, element: Attribute) -> None:
    old = op.buffer
    alloc = old.owner
    assert isinstance(alloc, AllocOp)
    buffer_type = alloc.buffer.type
    assert isinstance(buffer_type, BufferType)
    other = AllocOp(
        f"{alloc.buffer_name.data}_converted",
        BufferType.of(buffer_type.dims, element, buffer_type.scope.data),
    )
    other.location = alloc.location
    Rewriter.insert_op(other, InsertPoint.after(alloc))
    loads = isinstance(op, LoadOp)
    copy = CopyOp(other.buffer, old) if loads else CopyOp(old, other.buffer)
    copy.location = op.location
    op.operands[op.operands.index(old)] = other.buffer
    Rewriter.insert_op(copy, InsertPoint.after(op) if loads else InsertPoint.before(op))


def _element_of(place: SSAValue) -> Attribute:
    buffer_type = place_of(place)
    assert buffer_type is not None
    return buffer_type.element_type
