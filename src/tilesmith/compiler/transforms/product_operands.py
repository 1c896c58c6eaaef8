"""A float32 buffer that a product reads, and something else too, gets a copy for the product.

The matrix unit reads TF32. A circular buffer is unpacked in one way in all of a kernel, so whatever else
reads one that is an operand of a product would see its values cut to TF32.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.memory_effects import buffer_effects
from tilesmith.compiler.analysis.roles import steps
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.tt import number
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.pass_group import FunctionPass


@dataclass(frozen=True)
class SplitProductOperands(FunctionPass):
    """Give a product a copy of its own of a float32 buffer that something else reads too."""

    name = "split-product-operands"

    def rewrite(self, func: tile.FuncOp) -> None:
        part_product_operands(func.body.block)


def part_product_operands(block: Block) -> None:
    """Let every product of such a buffer read a copy made just before it."""
    copies: dict[SSAValue, tile.AllocOp] = {}
    for product in [op for op in steps(block) if isinstance(op, tile.GemmOp)]:
        for operand in dict.fromkeys((product.a, product.b)):
            if _is_float32(operand) and _is_read_otherwise(operand):
                if operand not in copies:
                    copies[operand] = _copy_of(operand)
                _read_copy(product, operand, copies[operand])


def _is_float32(buffer: SSAValue) -> bool:
    buffer_type = tile.place_of(buffer)
    return isinstance(buffer_type, BufferType) and isinstance(buffer_type.element_type, Float32Type)


def _is_read_otherwise(buffer: SSAValue) -> bool:
    return any(_reads(use.operation, buffer) for use in buffer.uses)


def _reads(op: Operation, buffer: SSAValue) -> bool:
    """Whether an operation wants all bits: compute copies what is stored while it is an operand, too."""
    if isinstance(op, tile.GemmOp):
        return op.c is buffer
    return isinstance(op, tile.MapOp | tile.CopyOp | tile.ReduceOp | tile.CleanOp | tile.StoreOp) and (
        buffer in buffer_effects(op).reads
    )


def _copy_of(buffer: SSAValue) -> tile.AllocOp:
    alloc = buffer.owner
    assert isinstance(alloc, tile.AllocOp)
    buffer_type = alloc.buffer.type
    assert isinstance(buffer_type, BufferType)
    copy = tile.AllocOp(f"{alloc.buffer_name.data}_factor", buffer_type)
    copy.depth = number(1)
    copy.location = alloc.location
    Rewriter.insert_op(copy, InsertPoint.after(alloc))
    return copy


def _read_copy(product: tile.GemmOp, operand: SSAValue, copy: tile.AllocOp) -> None:
    move = tile.CopyOp(operand, copy.buffer)
    move.location = product.location
    Rewriter.insert_op(move, InsertPoint.before(product))
    for place in (0, 1):
        if product.operands[place] is operand:
            product.operands[place] = copy.buffer
