"""What an integer operation is worth when some of its operands are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.analysis.index_expressions import constant_of


class Scaled(NamedTuple):
    """A value times a number."""

    value: SSAValue
    factor: int


Fold = int | SSAValue | Scaled | None
"""A known number, a value there is already, a multiple of one, or nothing better."""

_COMPARISONS: tuple[Callable[[int, int], bool], ...] = (
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
)


def fold(op: Operation) -> Fold:
    """The simplest thing that is equal to the operation's result, if there is something simpler."""
    if isinstance(op, arith.CmpiOp):
        return _fold_comparison(op)
    if isinstance(op, arith.SelectOp):
        return _fold_select(op)
    if isinstance(op, arith.IndexCastOp):
        return constant_of(op.input)
    if type(op) not in _BINARY or not isinstance(op.results[0].type, IndexType | IntegerType):
        return None
    left, right = op.operands
    a, b = constant_of(left), constant_of(right)
    if a is not None and b is not None:
        known = _BINARY[type(op)](a, b)
        return None if known is None else _wrapped(known, op.results[0].type)
    if a is not None and isinstance(op, arith.AddiOp | arith.MuliOp):
        return _fold_right(op, right, a)
    return None if b is None else _fold_right(op, left, b)


def _quotient(a: int, b: int) -> int | None:
    """Towards zero, as C++ divides."""
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    quotient = _quotient(a, b)
    return None if quotient is None else a - b * quotient


_BINARY: dict[type[Operation], Callable[[int, int], int | None]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.DivSIOp: _quotient,
    arith.RemSIOp: _remainder,
    arith.FloorDivSIOp: lambda a, b: a // b if b else None,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
}


def _wrapped(value: int, result_type: object) -> int:
    if not isinstance(result_type, IntegerType):
        return value
    width = result_type.width.data
    return (value + (1 << (width - 1))) % (1 << width) - (1 << (width - 1)) if width > 1 else value & 1


def _fold_right(op: Operation, left: SSAValue, number: int) -> Fold:
    """`left op number`; for sums and products the number may have stood on the left."""
    if isinstance(op, arith.AddiOp | arith.SubiOp):
        return left if number == 0 else None
    if isinstance(op, arith.MuliOp):
        return _multiple(left, number)
    if isinstance(op, arith.DivSIOp | arith.FloorDivSIOp):
        return left if number == 1 else _quotient_of_product(left, number)
    if isinstance(op, arith.RemSIOp):
        scaled = _product(left)
        return 0 if number == 1 or (scaled is not None and number and scaled.factor % number == 0) else None
    return None


def _multiple(left: SSAValue, number: int) -> Fold:
    scaled = _product(left)
    if number == 0:
        return 0
    if number == 1 or scaled is None:
        return left if number == 1 else None
    return Scaled(scaled.value, _wrapped(scaled.factor * number, left.type))


def _quotient_of_product(left: SSAValue, number: int) -> Fold:
    """x * 64 / 32 is x * 2: the product does not overflow, or the kernel would be wrong without this too."""
    scaled = _product(left)
    if scaled is None or not number or scaled.factor % number:
        return None
    factor = scaled.factor // number
    return scaled.value if factor == 1 else Scaled(scaled.value, factor)


def _product(value: SSAValue) -> Scaled | None:
    """A value that is another one times a number, as these."""
    op = value.owner
    if not isinstance(op, arith.MuliOp):
        return None
    for other, number in ((op.lhs, constant_of(op.rhs)), (op.rhs, constant_of(op.lhs))):
        if number is not None:
            return Scaled(other, number)
    return None


def _fold_comparison(op: arith.CmpiOp) -> Fold:
    a, b = constant_of(op.lhs), constant_of(op.rhs)
    number = op.predicate.value.data
    if a is None or b is None or number >= len(_COMPARISONS):
        return None
    return int(_COMPARISONS[number](a, b))


def _fold_select(op: arith.SelectOp) -> Fold:
    condition = constant_of(op.cond)
    if condition is None:
        return None
    return op.lhs if condition else op.rhs
