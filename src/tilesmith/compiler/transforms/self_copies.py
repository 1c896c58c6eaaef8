"""Copies within one buffer: nothing to do, or through a buffer of their own."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.dialects.tile import AllocOp, CopyOp, FuncOp, numbers
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.dialects.walk import walk
from tilesmith.compiler.pass_group import FunctionPass


@dataclass(frozen=True)
class SplitSelfCopies(FunctionPass):
    """Leave no copy whose source is its destination: a stage cannot read tiles it is replacing."""

    name = "split-self-copies"

    def rewrite(self, func: FuncOp) -> None:
        part_self_copies(func)


def part_self_copies(func: FuncOp) -> None:
    """Leave no copy whose source is its destination: a stage cannot read tiles it is replacing."""
    for op in [op for op in walk(func) if isinstance(op, CopyOp) and op.source is op.dest]:
        if op.is_whole:
            Rewriter.erase_op(op)
        else:
            _copy_through_a_part(op)


def _copy_through_a_part(op: CopyOp) -> None:
    alloc = op.source.owner
    assert isinstance(alloc, AllocOp)
    buffer_type = alloc.buffer.type
    assert isinstance(buffer_type, BufferType)
    sizes = numbers(op.sizes)
    part = AllocOp(
        f"{alloc.buffer_name.data}_part",
        BufferType.of(sizes, buffer_type.element_type, buffer_type.scope.data),
    )
    taken = CopyOp(op.source, part.buffer, source_offsets=list(op.source_offsets), sizes=sizes)
    given = CopyOp(part.buffer, op.dest, dest_offsets=list(op.dest_offsets), dims=numbers(op.dims))
    part.location, taken.location, given.location = alloc.location, op.location, op.location
    Rewriter.insert_op(part, InsertPoint.after(alloc))
    Rewriter.replace_op(op, [taken, given], [])
