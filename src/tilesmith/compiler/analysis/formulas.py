"""Scalar code as a formula, for the comments in kernels: "y[i, j] = max(x[i, j] + bias[j], 0)"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.tile import numbers

LONGEST = 100
"""Formulas longer than this say less than a sentence does."""

_CHOICE, _LOGIC, _COMPARISON, _SUM, _PRODUCT, _ATOM = range(6)
_OPERATORS: dict[type[Operation], tuple[str, int]] = {
    arith.AddfOp: ("+", _SUM),
    arith.AddiOp: ("+", _SUM),
    arith.SubfOp: ("-", _SUM),
    arith.SubiOp: ("-", _SUM),
    arith.MulfOp: ("*", _PRODUCT),
    arith.MuliOp: ("*", _PRODUCT),
    arith.DivfOp: ("/", _PRODUCT),
    arith.DivSIOp: ("/", _PRODUCT),
    arith.RemSIOp: ("%", _PRODUCT),
    arith.AndIOp: ("&&", _LOGIC),
    arith.OrIOp: ("||", _LOGIC),
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_CALLS: dict[type[Operation], str] = {
    arith.MaximumfOp: "max",
    arith.MaxnumfOp: "max",
    arith.MaxSIOp: "max",
    arith.MinimumfOp: "min",
    arith.MinnumfOp: "min",
    arith.MinSIOp: "min",
}
_CASTS = (arith.IndexCastOp, arith.SIToFPOp, arith.UIToFPOp, arith.ExtSIOp, arith.ExtUIOp)
_LETTERS = "ijklmn"


class _NoFormulaError(Exception):
    """Something in the code has no place in a formula."""


def number_text(value: SSAValue) -> str:
    """A constant as people write it; another value by its name."""
    op = value.owner
    if isinstance(op, arith.ConstantOp):
        if isinstance(op.value, FloatAttr):
            return f"{op.value.value.data:g}"
        if isinstance(op.value, IntegerAttr):
            return str(op.value.value.data)
    return value.name_hint or "a number"


def formula_of(op: tile.MapOp, names: Sequence[str], out: str) -> str | None:
    """What a map computes, given the names of its inputs and its output; None if that is no short formula."""
    block = op.body.block
    letters = _LETTERS[: len(block.args) - len(op.ins)]
    known: dict[SSAValue, str] = {}
    for arg, name, follows in zip(block.args, names, op.dims, strict=False):
        places = [letters[dim] if dim >= 0 else "0" for dim in numbers(follows)]
        known[arg] = f"{name}[{', '.join(places)}]"
    known |= dict(zip(block.args[len(op.ins) :], letters, strict=True))
    result = block.last_op
    assert isinstance(result, tile.YieldOp)
    try:
        text = f"{out}[{', '.join(letters)}] = {_text(result.value, known)[0]}"
    except _NoFormulaError:
        return None
    return text if len(text) <= LONGEST else None


def _text(value: SSAValue, known: Mapping[SSAValue, str]) -> tuple[str, int]:
    if value in known:
        return known[value], _ATOM
    op = value.owner
    if isinstance(op, arith.ConstantOp) or (value.name_hint and not _is_inside(value, known)):
        text = number_text(value)
        return text, _SUM if text.startswith("-") else _ATOM
    if isinstance(op, _CASTS):
        return _text(op.operands[0], known)
    if isinstance(op, tile.FnOp):
        return _call(op.fn.data, op.args, known)
    if isinstance(op, Operation) and type(op) in _CALLS:
        return _call(_CALLS[type(op)], op.operands, known)
    return _operator(op, known)


def _operator(op: object, known: Mapping[SSAValue, str]) -> tuple[str, int]:
    if isinstance(op, arith.NegfOp):
        return f"-{_in_parentheses(op.operand, known, _PRODUCT)}", _PRODUCT
    if isinstance(op, arith.CmpiOp | arith.CmpfOp):
        left, right = (_in_parentheses(side, known, _SUM) for side in op.operands)
        return f"{left} {_comparison(op)} {right}", _COMPARISON
    if isinstance(op, arith.SelectOp):
        condition, yes, no = (_in_parentheses(side, known, _LOGIC) for side in op.operands)
        return f"{condition} ? {yes} : {no}", _CHOICE
    if not isinstance(op, Operation) or type(op) not in _OPERATORS:
        raise _NoFormulaError
    symbol, binds = _OPERATORS[type(op)]
    # a - (b - c) needs its parentheses, a + (b + c) does not, and && beside || has them for the reader.
    after = binds + (symbol in ("-", "/", "%"))
    before = _COMPARISON if binds == _LOGIC else binds
    a, b = op.operands
    left, right = _in_parentheses(a, known, before), _in_parentheses(b, known, max(before, after))
    return f"{left} {symbol} {right}", binds


def _comparison(op: arith.CmpiOp | arith.CmpfOp) -> str:
    integers = isinstance(op, arith.CmpiOp)
    names = arith.CMPI_COMPARISON_OPERATIONS if integers else arith.CMPF_COMPARISON_OPERATIONS
    name = names[op.predicate.value.data]
    symbol = {"eq": "==", "ne": "!="}.get(name) or _COMPARISONS.get(name[1:])
    if symbol is None:
        raise _NoFormulaError
    return symbol


def _is_inside(value: SSAValue, known: Mapping[SSAValue, str]) -> bool:
    """Whether the map's body makes the value."""
    block = next(iter(known)).owner
    return isinstance(value.owner, Operation) and value.owner.parent is block


def _call(name: str, arguments: Sequence[SSAValue], known: Mapping[SSAValue, str]) -> tuple[str, int]:
    return f"{name}({', '.join(_text(argument, known)[0] for argument in arguments)})", _ATOM


def _in_parentheses(value: SSAValue, known: Mapping[SSAValue, str], at_least: int) -> str:
    text, binds = _text(value, known)
    return text if binds >= at_least else f"({text})"
