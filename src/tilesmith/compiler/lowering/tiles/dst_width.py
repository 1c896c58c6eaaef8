"""Whether DST needs slots of 32-bit elements."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.tile import numbers
from tilesmith.compiler.dialects.types import BufferType

_WIDE_FORMATS = ("Float32", "Int32", "UInt32")
_ON_MATRIX_UNIT = (arith.AddfOp, arith.SubfOp, arith.MulfOp)


def needs_wide_dst(op: Operation) -> bool:
    """16-bit slots will do for moving 16-bit tiles and for one addition or product of them; not for more.

    The vector unit would round every intermediate result to bf16, and sums of products lose their low bits.
    """
    buffer_types = [tile.place_of(value) for value in op.operands]
    if any(
        isinstance(buffer_type, BufferType) and buffer_type.format.data in _WIDE_FORMATS
        for buffer_type in buffer_types
    ):
        return True
    if isinstance(op, tile.MapOp):
        return not is_one_matrix_operation(op)
    return not isinstance(op, tile.CopyOp | tile.FillOp)


def is_one_matrix_operation(op: tile.MapOp) -> bool:
    """Whether the body is nothing but a sum, difference or product of two inputs."""
    if any(numbers(follows) != tuple(range(len(numbers(follows)))) for follows in op.dims):
        return False
    block = op.body.block
    first = block.first_op
    return (
        isinstance(first, _ON_MATRIX_UNIT)
        and isinstance(first.next_op, tile.YieldOp)
        and first.next_op.value is first.result
        and set(first.operands) <= set(block.args[: len(op.ins)])
    )
