"""What can be known about an index: its value, its text, the values it is made of."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from tilesmith.errors import InternalFault

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


def constant_of(value: SSAValue) -> int | None:
    """The number behind a value, if it is a constant."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None


def text_of(value: SSAValue) -> str:
    """An index as an expression of the kernel's symbols: "(m + 127) // 128"."""
    number = constant_of(value)
    if number is not None:
        return str(number)
    if isinstance(value, BlockArgument):
        assert value.name_hint
        return value.name_hint
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, arith.IndexCastOp):
        return text_of(op.input)
    if type(op) not in _SYMBOLS:
        raise InternalFault(f"{op.name} in the size of a grid")
    left, right = (_in_parentheses(operand) for operand in op.operands)
    return f"{left} {_SYMBOLS[type(op)]} {right}"


def _in_parentheses(value: SSAValue) -> str:
    text = text_of(value)
    return f"({text})" if " " in text else text
