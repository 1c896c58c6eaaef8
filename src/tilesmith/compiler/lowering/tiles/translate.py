"""From the scalar body of a map to a graph of calls on tiles."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.tile import location_of
from tilesmith.compiler.lowering.tiles.expression import Apply, Fill, Node, Scalar, Uniform
from tilesmith.compiler.lowering.tiles.functions import ON_TILES, call
from tilesmith.errors import UnsupportedKernelError

_ARITHMETIC: dict[type[Operation], str] = {
    arith.AddfOp: "add",
    arith.AddiOp: "add",
    arith.SubfOp: "sub",
    arith.SubiOp: "sub",
    arith.MulfOp: "mul",
    arith.MuliOp: "mul",
    arith.MaximumfOp: "max",
    arith.MaxnumfOp: "max",
    arith.MaxSIOp: "max",
    arith.MinimumfOp: "min",
    arith.MinnumfOp: "min",
    arith.MinSIOp: "min",
}
_WITH_NUMBER = {
    "add": "add_number",
    "sub": "subtract_number",
    "mul": "multiply_number",
    "max": "max_number",
    "min": "min_number",
}
_INTEGER_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
_FLOAT_PREDICATES = {
    1: "eq",
    2: "gt",
    3: "ge",
    4: "lt",
    5: "le",
    6: "ne",
    8: "eq",
    9: "gt",
    10: "ge",
    11: "lt",
    12: "le",
    13: "ne",
}
_FOLDED: dict[type[Operation], Callable[..., float]] = {
    arith.AddfOp: operator.add,
    arith.SubfOp: operator.sub,
    arith.MulfOp: operator.mul,
    arith.NegfOp: operator.neg,
}
_DIFFERENCES = {"lt": "subtract_from_number", "gt": "subtract_number"}
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_SAME = (
    arith.IndexCastOp,
    arith.SIToFPOp,
    arith.UIToFPOp,
    arith.ExtUIOp,
    arith.ExtSIOp,
    arith.TruncIOp,
)
_DIVISIONS = (arith.DivSIOp, arith.FloorDivSIOp, arith.DivUIOp)
_REMAINDERS = (arith.RemSIOp, arith.RemUIOp)


class Translator:
    """Turns the values of one body into nodes, given those of the arguments that differ over a tile."""

    def __init__(self, block: Block, arguments: dict[SSAValue, Node]) -> None:
        self.block = block
        self.nodes: dict[SSAValue, Node] = dict(arguments)
        self.uniform: dict[SSAValue, bool] = {}

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether a value is the same for a whole tile."""
        if value not in self.uniform:
            self.uniform[value] = self._find_uniform(value)
        return self.uniform[value]

    def _find_uniform(self, value: SSAValue) -> bool:
        if value in self.nodes:
            return False
        owner = value.owner
        if isinstance(value, BlockArgument) or not isinstance(owner, Operation):
            return True
        if owner.parent is not self.block:
            return True
        return not isinstance(owner, tile.FnOp) and all(
            self.is_uniform(operand) for operand in owner.operands
        )

    def node(self, value: SSAValue) -> Node:
        """The tile of a value."""
        if value not in self.nodes:
            self.nodes[value] = self._make(value)
        return self.nodes[value]

    def scalar(self, value: SSAValue) -> Scalar:
        """A uniform value as a parameter; numbers known now are taken as they are."""
        known = known_number(value)
        return Uniform(value) if known is None else known

    def _make(self, value: SSAValue) -> Node:
        if self.is_uniform(value):
            return Fill(self.scalar(value))
        op = value.owner
        assert isinstance(op, Operation)
        if type(op) in _ARITHMETIC:
            return self._arithmetic(_ARITHMETIC[type(op)], op.operands[0], op.operands[1])
        if isinstance(op, _SAME):
            return self.node(op.operands[0])
        for op_classes, make in _MAKERS:
            if isinstance(op, op_classes):
                return make(self, op)
        raise UnsupportedKernelError(
            f"{op.name} has no form on whole tiles",
            where=location_of(op),
            remedy="compute this element by element in a T.serial loop, or keep to float arithmetic",
        )

    def _arithmetic(self, fn: str, left: SSAValue, right: SSAValue) -> Node:
        if self.is_uniform(right):
            return Apply(_WITH_NUMBER[fn], (self.node(left),), (self.scalar(right),))
        if self.is_uniform(left):
            other = "subtract_from_number" if fn == "sub" else _WITH_NUMBER[fn]
            return Apply(other, (self.node(right),), (self.scalar(left),))
        return Apply(fn, (self.node(left), self.node(right)))

    def divide(self, op: arith.DivfOp) -> Node:
        if self.is_uniform(op.rhs):
            return Apply("multiply_number", (self.node(op.lhs),), (_inverse(self.scalar(op.rhs)),))
        # The vector unit's own division gives NaN for x / inf, which x / (1 + exp(-x)) is for large -x.
        inverse = Apply("recip", (self.node(op.rhs),))
        if not self.is_uniform(op.lhs):
            return Apply("mul", (self.node(op.lhs), inverse))
        factor = self.scalar(op.lhs)
        return inverse if factor == 1.0 else Apply("multiply_number", (inverse,), (factor,))

    def divide_integers(self, op: Operation) -> Node:
        return quotient(self.node(op.operands[0]), self._divisor(op.operands[1]))

    def remainder(self, op: Operation) -> Node:
        left, right = op.operands
        return remainder(self.node(left), self._divisor(right))

    def _divisor(self, value: SSAValue) -> Scalar | Node:
        return self.scalar(value) if self.is_uniform(value) else self.node(value)

    def compare(self, op: arith.CmpfOp | arith.CmpiOp) -> Node:
        number = op.predicate.value.data
        if isinstance(op, arith.CmpiOp):
            fn = _INTEGER_PREDICATES[number]
        elif number in _FLOAT_PREDICATES:
            fn = _FLOAT_PREDICATES[number]
        else:
            raise UnsupportedKernelError(
                "this comparison has no form on whole tiles",
                where=location_of(op),
                remedy="compare with <, <=, >, >=, == or !=",
            )
        if self._may_subtract(op.lhs, op.rhs):
            return Apply(f"{fn}_number", (self.node(op.lhs),), (self.scalar(op.rhs),))
        if self._may_subtract(op.rhs, op.lhs):
            return Apply(f"{_MIRRORED[fn]}_number", (self.node(op.rhs),), (self.scalar(op.lhs),))
        return Apply(fn, (self.node(op.lhs), self.node(op.rhs)))

    def _may_subtract(self, value: SSAValue, scalar: SSAValue) -> bool:
        """Whether a scalar may be compared with by the sign of the difference, as `unary_gt_tile` does.

        The difference of a NaN has a sign, and an infinity less itself is not zero: floats that may be either
        are compared by `gt_binary_tile`, which knows them.
        """
        return self.is_uniform(scalar) and _is_finite(value) and _is_finite(scalar)

    def select(self, op: arith.SelectOp) -> Node:
        """What is not zero chooses the first. Whole numbers are subtracted, not compared."""
        condition = self._difference(op.cond) or self.node(op.cond)
        return Apply("where", (condition, self.node(op.lhs), self.node(op.rhs)))

    def _difference(self, condition: SSAValue) -> Node | None:
        """How far a whole number is below a scalar, or above it, and zero where it is not."""
        test = condition.owner
        if condition in self.nodes or not isinstance(test, arith.CmpiOp):
            return None
        fn = _INTEGER_PREDICATES[test.predicate.value.data]
        for value, scalar, how in ((test.lhs, test.rhs, fn), (test.rhs, test.lhs, _MIRRORED[fn])):
            if how in _DIFFERENCES and self._may_subtract(value, scalar):
                gap = Apply(_DIFFERENCES[how], (self.node(value),), (self.scalar(scalar),))
                return Apply("max_number", (gap,), (0.0,))
        return None

    def logical(self, op: arith.AndIOp | arith.OrIOp | arith.XOrIOp) -> Node:
        if op.result.type != IntegerType(1):
            raise UnsupportedKernelError(
                "bit operations on integers have no form on whole tiles",
                where=location_of(op),
                remedy="compute this element by element in a T.serial loop",
            )
        fn = {arith.AndIOp: "mul", arith.OrIOp: "max", arith.XOrIOp: "ne"}[type(op)]
        return Apply(fn, (self.node(op.lhs), self.node(op.rhs)))

    def negate(self, op: arith.NegfOp) -> Node:
        return Apply("negative", (self.node(op.operand),))

    def truncate(self, op: Operation) -> Node:
        return Apply("trunc", (self.node(op.operands[0]),))

    def shift_left(self, op: arith.ShLIOp) -> Node:
        return Apply("multiply_number", (self.node(op.lhs),), (2.0 ** self._known_shift(op),))

    def shift_right(self, op: arith.ShRSIOp) -> Node:
        scaled = Apply("multiply_number", (self.node(op.lhs),), (0.5 ** self._known_shift(op),))
        return Apply("floor", (scaled,))

    def _known_shift(self, op: arith.ShLIOp | arith.ShRSIOp) -> float:
        distance = known_number(op.rhs)
        if distance is None:
            raise UnsupportedKernelError(
                "a shift by a distance that differs from element to element has no form on whole tiles",
                where=location_of(op),
                remedy="shift by a constant, or multiply or divide instead",
            )
        return distance

    def function(self, op: tile.FnOp) -> Node:
        name = op.fn.data
        if name not in ON_TILES:
            raise UnsupportedKernelError(
                f"{name} has no form on whole tiles",
                where=location_of(op),
                remedy=f"the vector unit has {', '.join(sorted(ON_TILES))}",
            )
        return call(name, [self.node(arg) for arg in op.args])


def known_number(value: SSAValue) -> float | None:
    """The number behind a value if it is a constant, of whatever type."""
    op = value.owner
    if not isinstance(op, Operation):
        return None
    if isinstance(op, _SAME):
        return known_number(op.operands[0])
    if type(op) in _FOLDED:
        operands = [known_number(operand) for operand in op.operands]
        return None if None in operands else _FOLDED[type(op)](*operands)
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr | FloatAttr):
        data = op.value.value.data
        # A true i1 is kept as -1 by some builders.
        return float(abs(data)) if value.type == IntegerType(1) else float(data)
    return None


def _is_finite(value: SSAValue) -> bool:
    """Whether a value is known to be neither NaN nor infinite: a number, or an integer."""
    known = known_number(value)
    if known is not None:
        return math.isfinite(known)
    converted = isinstance(value.owner, arith.SIToFPOp | arith.UIToFPOp)
    return converted or isinstance(value.type, IntegerType | IndexType)


def quotient(left: Node, right: Scalar | Node) -> Node:
    """The quotient of whole numbers, rounded down."""
    if right == 1.0:
        return left
    # Half a unit above, so that a rounded quotient never falls below the whole number it stands for.
    above = Apply("add_number", (left,), (0.5,))
    if isinstance(right, Node):
        return Apply("floor", (Apply("div", (above, right)),))
    return Apply("floor", (Apply("multiply_number", (above,), (_inverse(right),)),))


def remainder(left: Node, right: Scalar | Node) -> Node:
    """What a division of whole numbers leaves."""
    times = quotient(left, right)
    if isinstance(right, Node):
        return Apply("sub", (left, Apply("mul", (times, right))))
    return Apply("sub", (left, Apply("multiply_number", (times,), (right,))))


def _inverse(value: Scalar) -> Scalar:
    if isinstance(value, Uniform):
        return Uniform(value.value, not value.inverse)
    assert isinstance(value, float)
    return 1.0 / value if value else float("inf")


_MAKERS: tuple[tuple[Any, Callable[[Translator, Any], Node]], ...] = (
    (arith.DivfOp, Translator.divide),
    (_DIVISIONS, Translator.divide_integers),
    (_REMAINDERS, Translator.remainder),
    ((arith.CmpfOp, arith.CmpiOp), Translator.compare),
    (arith.SelectOp, Translator.select),
    ((arith.AndIOp, arith.OrIOp, arith.XOrIOp), Translator.logical),
    (arith.NegfOp, Translator.negate),
    ((arith.FPToSIOp, arith.FPToUIOp), Translator.truncate),
    (arith.ShLIOp, Translator.shift_left),
    (arith.ShRSIOp, Translator.shift_right),
    (tile.FnOp, Translator.function),
)
