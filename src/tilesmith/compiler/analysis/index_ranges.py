"""What is known about an index before the kernel runs: how large it can get, what it is a multiple of."""

from __future__ import annotations

from math import gcd

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, SSAValue

from tilesmith.compiler.analysis.index_expressions import constant_of
from tilesmith.compiler.dialects import tile, tt


def largest(value: SSAValue) -> int | None:
    """The largest number an index can be, if that is known; indices are never negative."""
    number = constant_of(value)
    if number is not None:
        return number
    op = value.owner
    if isinstance(op, Block):
        return _largest_of_loop(op)
    if isinstance(below := op.attributes.get("below"), IntegerAttr):
        return below.value.data - 1
    if isinstance(op, arith.AddiOp | arith.MuliOp | arith.MinSIOp):
        return _largest_of_two(op)
    if isinstance(op, arith.RemSIOp):
        divisor = constant_of(op.rhs)
        return None if divisor is None else divisor - 1
    if isinstance(op, arith.DivSIOp):
        top, divisor = largest(op.lhs), constant_of(op.rhs)
        return None if top is None or not divisor else top // divisor
    return None


def _largest_of_two(op: arith.AddiOp | arith.MuliOp | arith.MinSIOp) -> int | None:
    a, b = largest(op.lhs), largest(op.rhs)
    if isinstance(op, arith.MinSIOp):
        known = [top for top in (a, b) if top is not None]
        return min(known) if known else None
    if a is None or b is None:
        return None
    return a + b if isinstance(op, arith.AddiOp) else a * b


def _largest_of_loop(block: Block) -> int | None:
    loop = block.parent_op()
    if not isinstance(loop, scf.ForOp):
        return None
    if isinstance(below := loop.attributes.get("below"), IntegerAttr):
        return below.value.data - 1
    stop, start, step = largest(loop.ub), constant_of(loop.lb), constant_of(loop.step)
    if stop is None:
        return None
    if start is None or not step:
        return stop - 1
    return start + max(0, -(-(stop - start) // step) - 1) * step


def factor_of(value: SSAValue) -> int:
    """A number that every value of the index is a multiple of; 0 if it is always 0."""
    number = constant_of(value)
    if number is not None:
        return abs(number)
    op = value.owner
    if isinstance(op, arith.MuliOp):
        return factor_of(op.lhs) * factor_of(op.rhs)
    if isinstance(op, arith.AddiOp | arith.SubiOp):
        return gcd(factor_of(op.lhs), factor_of(op.rhs))
    if isinstance(op, Block) and isinstance(loop := op.parent_op(), scf.ForOp):
        return gcd(factor_of(loop.lb), factor_of(loop.step))
    return 1


def may_be_negative(value: SSAValue) -> bool:
    """Whether an index may lie before the start of a tensor; arguments and loops count up from zero."""
    number = constant_of(value)
    if number is not None:
        return number < 0
    op = value.owner
    if isinstance(op, Block | tt.ArgOp):
        return False
    if isinstance(op, arith.MaxSIOp):
        return all(may_be_negative(operand) for operand in op.operands)
    if isinstance(op, arith.SelectOp):
        return may_be_negative(op.lhs) or may_be_negative(op.rhs)
    if isinstance(op, arith.SubiOp) and _is_remainder(op):
        return False
    if isinstance(op, arith.SubiOp | tile.GetOp | tile.ReadOp):
        return True
    if isinstance(op, arith.RemSIOp):
        return may_be_negative(op.lhs)
    return any(may_be_negative(operand) for operand in op.operands)


def _is_remainder(op: arith.SubiOp) -> bool:
    """Whether this is x - x // y * y, which is not negative for any y above zero."""
    product = op.rhs.owner
    quotient = product.lhs.owner if isinstance(product, arith.MuliOp) else None
    if not isinstance(product, arith.MuliOp) or not isinstance(quotient, arith.FloorDivSIOp):
        return False
    same = quotient.lhs is op.lhs and quotient.rhs is product.rhs
    return same and not may_be_negative(quotient.rhs)
