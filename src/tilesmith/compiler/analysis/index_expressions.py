"""What can be known about an index: its value, its text, its divisors, the values it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import gcd
from operator import add, floordiv, mod, mul, sub

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tilesmith.compiler.dialects.tile import FuncOp, GetOp, location_of
from tilesmith.errors import UnsupportedKernelError

_SYMBOLS: dict[type[Operation], str] = {
    arith.AddiOp: "+",
    arith.SubiOp: "-",
    arith.MuliOp: "*",
    arith.DivSIOp: "//",
    arith.DivUIOp: "//",
    arith.FloorDivSIOp: "//",
    arith.RemSIOp: "%",
    arith.RemUIOp: "%",
}
_FOLDS: dict[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul, "//": floordiv, "%": mod}
TRANSPARENT = (arith.IndexCastOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp)
_SUMS = (arith.AddiOp, arith.SubiOp, arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp)
_QUOTIENTS = (arith.DivSIOp, arith.DivUIOp, arith.FloorDivSIOp)
_REMAINDERS = (arith.RemSIOp, arith.RemUIOp)


def constant_of(value: SSAValue) -> int | None:
    """The number behind a value, if it is a constant or made of constants."""
    op = value.owner
    # Asked at every step of every pass: comparing types is quicker than asking abstract classes.
    if isinstance(op, Block):
        return None
    op_type = type(op)
    if op_type is arith.ConstantOp:
        given = op.value  # type: ignore[attr-defined]
        return given.value.data if isinstance(given, IntegerAttr) else None
    if op_type in TRANSPARENT:
        return constant_of(op.operands[0])
    symbol = _SYMBOLS.get(op_type)
    if symbol is None or (left := constant_of(op.operands[0])) is None:
        return None
    right = constant_of(op.operands[1])
    return None if right is None else _folded(symbol, left, right)


def text_of(value: SSAValue) -> str:
    """An index as an expression of the kernel's symbols: "(m + 127) // 128"."""
    number = constant_of(value)
    if number is not None:
        return str(number)
    op = value.owner
    if isinstance(value, BlockArgument):
        return _symbol(value)
    if isinstance(op, TRANSPARENT):
        return text_of(op.operands[0])
    if not isinstance(op, Operation) or type(op) not in _SYMBOLS:
        raise UnsupportedKernelError(
            "the size of the grid is not made of numbers and symbols with + - * // and %",
            where=location_of(op) if isinstance(op, Operation) else "",
            remedy="compute the number of blocks with T.ceildiv of a dimension and the block size",
        )
    left, right = (_in_parentheses(operand) for operand in op.operands)
    return f"{left} {_SYMBOLS[type(op)]} {right}"


def divisor_of(value: SSAValue) -> int:
    """A number that certainly divides a value, the largest this can see; 0 for the constant zero."""
    number = constant_of(value)
    if number is not None:
        return abs(number)
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if isinstance(loop, scf.ForOp) and value.index == 0:
            return gcd(divisor_of(loop.lb), divisor_of(loop.step))
        return 1
    op = value.owner
    assert isinstance(op, Operation)
    return _divisor_of_result(op)


def is_multiple(value: SSAValue, number: int) -> bool:
    """Whether a value is certainly a multiple of a number."""
    return divisor_of(value) % number == 0


def leaves_of(values: Iterable[SSAValue]) -> set[SSAValue]:
    """The values that values are computed from: block and loop indices, symbols, variables, elements read.

    A loop index brings what its loop's bounds are computed from, an element what its place is computed from.
    """
    return {value for value in computed_from(values) if _is_leaf(value)}


def computed_from(values: Iterable[SSAValue]) -> set[SSAValue]:
    """All values that are computed on the way to some, and those themselves."""
    waiting, seen = list(values), set[SSAValue]()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if isinstance(loop, scf.ForOp):
                waiting += [loop.lb, loop.ub, loop.step]
        elif isinstance(owner, Operation) and not _is_leaf(value):
            waiting += owner.operands
    return seen


def _is_leaf(value: SSAValue) -> bool:
    owner = value.owner
    return not isinstance(owner, Operation) or isinstance(owner, GetOp) or bool(owner.regions)


def _divisor_of_result(op: Operation) -> int:
    if isinstance(op, TRANSPARENT):
        return divisor_of(op.operands[0])
    if isinstance(op, _SUMS):
        return gcd(divisor_of(op.operands[0]), divisor_of(op.operands[1]))
    if isinstance(op, arith.SelectOp):
        return gcd(divisor_of(op.lhs), divisor_of(op.rhs))
    if isinstance(op, arith.MuliOp):
        return divisor_of(op.lhs) * divisor_of(op.rhs)
    if isinstance(op, arith.ShLIOp):
        shift = constant_of(op.rhs)
        return divisor_of(op.lhs) << shift if shift is not None and shift >= 0 else divisor_of(op.lhs)
    if isinstance(op, _QUOTIENTS):
        by = constant_of(op.operands[1])
        of = divisor_of(op.operands[0])
        return of // abs(by) if by and of % abs(by) == 0 else 1
    if isinstance(op, _REMAINDERS):
        by = constant_of(op.operands[1])
        return gcd(divisor_of(op.operands[0]), by) if by else 1
    return 1


def _folded(symbol: str, left: int, right: int) -> int | None:
    # What a division of negative numbers gives depends on the operation; sizes and offsets need none.
    if symbol in ("//", "%") and (left < 0 or right <= 0):
        return None
    return _FOLDS[symbol](left, right)


def _symbol(value: BlockArgument) -> str:
    func = value.block.parent_op()
    assert isinstance(func, FuncOp)
    return func.symbols.data[value.index - len(func.arg_names)].data


def _in_parentheses(value: SSAValue) -> str:
    text = text_of(value)
    return f"({text})" if " " in text else text
