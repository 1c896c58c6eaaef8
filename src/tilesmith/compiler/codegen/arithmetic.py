"""C++ for the arith dialect: constants, operators, casts."""

from __future__ import annotations

import math

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.codegen import cpp
from tilesmith.compiler.codegen.cpp import Emitter, Expr, cpp_type, expresses
from tilesmith.errors import InternalFault

_OPERATORS: dict[type[Operation], tuple[str, int]] = {
    arith.AddiOp: ("+", cpp.SUM),
    arith.SubiOp: ("-", cpp.SUM),
    arith.MuliOp: ("*", cpp.PRODUCT),
    arith.DivSIOp: ("/", cpp.PRODUCT),
    arith.RemSIOp: ("%", cpp.PRODUCT),
    arith.AddfOp: ("+", cpp.SUM),
    arith.SubfOp: ("-", cpp.SUM),
    arith.MulfOp: ("*", cpp.PRODUCT),
    arith.DivfOp: ("/", cpp.PRODUCT),
    arith.AndIOp: ("&", cpp.BIT_AND),
    arith.OrIOp: ("|", cpp.BIT_OR),
    arith.XOrIOp: ("^", cpp.BIT_XOR),
    arith.ShLIOp: ("<<", cpp.SHIFT),
    arith.ShRSIOp: (">>", cpp.SHIFT),
}
# On bool the bit operators are the logical ones.
_LOGICAL = {"&": Expr("&&", cpp.AND), "|": Expr("||", cpp.OR), "^": Expr("!=", cpp.EQUALITY)}
_ASSOCIATIVE = {"+", "*", "&", "|", "^", "&&", "||"}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_UNSIGNED_FROM = 6
# By xDSL's number of the predicate. The unordered ones hold for NaN: they negate the opposite ordered one.
_ORDERED = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}
_UNORDERED = {9: "<=", 10: "<", 11: ">=", 12: ">"}


@expresses(arith.ConstantOp)
def _constant(e: Emitter, op: arith.ConstantOp) -> Expr:
    if isinstance(op.value, IntegerAttr):
        return _integer(op.value.value.data, op.value.type)
    if isinstance(op.value, FloatAttr):
        return float_literal(op.value.value.data)
    raise InternalFault(f"no C++ is known for the constant {op.value}")


def _integer(value: int, result_type: object) -> Expr:
    if result_type == i1:
        return Expr("true" if value else "false")
    if value == -(2**31):
        return Expr("INT32_MIN")
    return Expr(str(value), cpp.UNARY if value < 0 else cpp.ATOM)


def float_literal(value: float) -> Expr:
    """A float constant.

    >>> float_literal(0.5).text, float_literal(-3).text, float_literal(float("-inf")).text
    ('0.5f', '-3.0f', '-__builtin_inff()')
    """
    if math.isnan(value):
        return Expr('__builtin_nanf("")')
    text = "__builtin_inff()" if math.isinf(value) else f"{abs(float(value))!r}f"
    return Expr(f"-{text}", cpp.UNARY) if math.copysign(1, value) < 0 else Expr(text)


@expresses(*_OPERATORS)
def _operator(e: Emitter, op: Operation) -> Expr:
    symbol, binds = _OPERATORS[type(op)]
    if op.results[0].type == i1:
        symbol, binds = _LOGICAL.get(symbol, Expr(symbol, binds))
    left, right = op.operands
    # a + (b + c) keeps its parentheses for floats: they round where the kernel says. So does a * (b / c).
    regroups = symbol in _ASSOCIATIVE and not isinstance(op, arith.AddfOp | arith.MulfOp)
    if binds == cpp.PRODUCT:
        regroups = regroups and isinstance(right.owner, arith.MuliOp)
    return Expr(f"{_side(e, left, binds, True)} {symbol} {_side(e, right, binds, regroups)}", binds)


def _side(e: Emitter, value: SSAValue, binds: int, regroups: bool) -> str:
    """One side of an operator, with the parentheses it needs and those that compilers ask for."""
    text, inner = e.expression(value)
    if inner == binds and binds != cpp.SHIFT:
        plain = regroups
    elif binds >= cpp.SUM:
        plain = inner > binds
    else:
        plain = inner >= (cpp.EQUALITY if binds <= cpp.AND else cpp.UNARY)
    return text if plain else f"({text})"


@expresses(arith.CmpiOp)
def _compare_integers(e: Emitter, op: arith.CmpiOp) -> Expr:
    number = op.predicate.value.data
    symbol = _COMPARISONS[number]
    binds = cpp.EQUALITY if symbol in ("==", "!=") else cpp.RELATION
    sides = [e.value(side, cpp.SHIFT) for side in (op.lhs, op.rhs)]
    if number >= _UNSIGNED_FROM:
        sides = [f"static_cast<uint32_t>({e.value(side)})" for side in (op.lhs, op.rhs)]
    return Expr(f"{sides[0]} {symbol} {sides[1]}", binds)


@expresses(arith.CmpfOp)
def _compare_floats(e: Emitter, op: arith.CmpfOp) -> Expr:
    number = op.predicate.value.data
    left, right = e.value(op.lhs, cpp.SHIFT), e.value(op.rhs, cpp.SHIFT)
    if number in _ORDERED:
        symbol = _ORDERED[number]
        return Expr(f"{left} {symbol} {right}", cpp.EQUALITY if symbol in ("==", "!=") else cpp.RELATION)
    if number in _UNORDERED:
        return Expr(f"!({left} {_UNORDERED[number]} {right})", cpp.UNARY)
    name = arith.CMPF_COMPARISON_OPERATIONS[number]
    if name not in _FLOAT_PREDICATES:
        raise InternalFault(f"no C++ is known for the comparison {name!r}")
    return Expr(_FLOAT_PREDICATES[name].format(e.operand(op.lhs), e.operand(op.rhs)))


_FLOAT_PREDICATES = {
    "false": "false",
    "true": "true",
    "one": "({0} < {1} || {0} > {1})",
    "ueq": "!({0} < {1} || {0} > {1})",
    "ord": "({0} == {0} && {1} == {1})",
    "uno": "({0} != {0} || {1} != {1})",
}


@expresses(arith.SelectOp)
def _select(e: Emitter, op: arith.SelectOp) -> Expr:
    condition, yes, no = (e.value(side, cpp.TERNARY) for side in op.operands)
    return Expr(f"{condition} ? {yes} : {no}", cpp.TERNARY)


@expresses(arith.MinSIOp, arith.MinimumfOp, arith.MinnumfOp)
def _minimum(e: Emitter, op: Operation) -> Expr:
    return _extreme(e, op, "std::min")


@expresses(arith.MaxSIOp, arith.MaximumfOp, arith.MaxnumfOp)
def _maximum(e: Emitter, op: Operation) -> Expr:
    return _extreme(e, op, "std::max")


def _extreme(e: Emitter, op: Operation, function: str) -> Expr:
    e.include("<algorithm>")
    left, right = op.operands
    # Both sides are spelled int32_t: an int literal and an int32_t may differ in type on the chip.
    result_type = cpp_type(op.results[0].type)
    return Expr(f"{function}<{result_type}>({e.value(left)}, {e.value(right)})")


@expresses(arith.MinUIOp, arith.MaxUIOp)
def _unsigned_extreme(e: Emitter, op: Operation) -> Expr:
    e.include("<algorithm>")
    function = "std::min" if isinstance(op, arith.MinUIOp) else "std::max"
    left, right = (e.value(side) for side in op.operands)
    return Expr(f"static_cast<int32_t>({function}<uint32_t>({left}, {right}))")


@expresses(arith.FloorDivSIOp)
def _floor_divide(e: Emitter, op: arith.FloorDivSIOp) -> Expr:
    e.helper("floor_div", _FLOOR_DIV)
    return Expr(f"floor_div({e.value(op.lhs)}, {e.value(op.rhs)})")


@expresses(arith.CeilDivSIOp)
def _ceil_divide(e: Emitter, op: arith.CeilDivSIOp) -> Expr:
    e.helper("floor_div", _FLOOR_DIV)
    return Expr(f"-floor_div(-{e.operand(op.lhs)}, {e.value(op.rhs)})", cpp.UNARY)


_FLOOR_DIV = """
// Division that rounds towards minus infinity.
inline int32_t floor_div(int32_t a, int32_t b) {
    const int32_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
"""


@expresses(arith.NegfOp)
def _negate(e: Emitter, op: arith.NegfOp) -> Expr:
    return Expr(f"-{e.operand(op.operand)}", cpp.UNARY)


@expresses(arith.ShRUIOp, arith.DivUIOp, arith.RemUIOp)
def _unsigned(e: Emitter, op: Operation) -> Expr:
    symbol = {arith.ShRUIOp: ">>", arith.DivUIOp: "/", arith.RemUIOp: "%"}[type(op)]  # type: ignore[index]
    left, right = (f"static_cast<uint32_t>({e.value(side)})" for side in op.operands)
    return Expr(f"static_cast<int32_t>({left} {symbol} {right})")


@expresses(arith.IndexCastOp)
def _same(e: Emitter, op: arith.IndexCastOp) -> Expr:
    return e.expression(op.input)


@expresses(arith.SIToFPOp, arith.FPToSIOp, arith.TruncIOp, arith.ExtSIOp)
def _cast(e: Emitter, op: Operation) -> Expr:
    return Expr(f"static_cast<{cpp_type(op.results[0].type)}>({e.value(op.operands[0])})")


@expresses(arith.UIToFPOp)
def _unsigned_to_float(e: Emitter, op: arith.UIToFPOp) -> Expr:
    if op.input.type == i1:
        return Expr(f"static_cast<float>({e.value(op.input)})")
    return Expr(f"static_cast<float>(static_cast<uint32_t>({e.value(op.input)}))")


@expresses(arith.FPToUIOp)
def _float_to_unsigned(e: Emitter, op: arith.FPToUIOp) -> Expr:
    return Expr(f"static_cast<int32_t>(static_cast<uint32_t>({e.value(op.input)}))")


@expresses(arith.ExtUIOp)
def _extend_unsigned(e: Emitter, op: arith.ExtUIOp) -> Expr:
    result_type = cpp_type(op.results[0].type)
    if op.input.type == i1:
        return Expr(f"static_cast<{result_type}>({e.value(op.input)})")
    return Expr(f"static_cast<{result_type}>(static_cast<u{cpp_type(op.input.type)}>({e.value(op.input)}))")


@expresses(arith.BitcastOp)
def _bitcast(e: Emitter, op: arith.BitcastOp) -> Expr:
    result_type = cpp_type(op.results[0].type)
    e.helper("bit_cast", _BIT_CAST)
    return Expr(f"bit_cast<{result_type}>({e.value(op.input)})")


_BIT_CAST = """
// The same bits as another type.
template <typename To, typename From>
inline To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof(to));
    return to;
}
"""
