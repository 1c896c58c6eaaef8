"""Formulas as the Python of the generated op."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.opsmith.expressions import (
    Arithmetic,
    Attribute,
    Comparison,
    Count,
    Dimension,
    Expression,
    Local,
    Logic,
    Not,
    Number,
    Property,
    ShapePart,
    Size,
    Slice,
    Text,
    WholeShape,
)

_WORDS = {
    "BFLOAT16": "DataFormat.Float16_b",
    "FLOAT32": "DataFormat.Float32",
    "UINT32": "DataFormat.UInt32",
    "INT32": "DataFormat.Int32",
    "UINT16": "DataFormat.UInt16",
    "UINT8": "DataFormat.UInt8",
    "BFLOAT8_B": "DataFormat.Bfp8_b",
    "BFLOAT4_B": "DataFormat.Bfp4_b",
    "TILE": "Layout.TILE",
    "ROW_MAJOR": "Layout.ROW_MAJOR",
    "INTERLEAVED": "TensorMemoryLayout.INTERLEAVED",
    "HEIGHT_SHARDED": "TensorMemoryLayout.HEIGHT_SHARDED",
    "WIDTH_SHARDED": "TensorMemoryLayout.WIDTH_SHARDED",
    "BLOCK_SHARDED": "TensorMemoryLayout.BLOCK_SHARDED",
    "DRAM": "BufferType.DRAM",
    "L1": "BufferType.L1",
}
_MEMORY = {"memory_layout": "memory_config.memory_layout", "buffer_type": "memory_config.buffer_type"}
_PRECEDENCE = {"or": 1, "and": 2, "not": 3, "compare": 4, "+": 5, "-": 5, "*": 6, "//": 6, "%": 6}


def word(name: str) -> str:
    """A dtype, layout or memory as Python names it.

    >>> word("BFLOAT16")
    'DataFormat.Float16_b'
    """
    return _WORDS.get(name, repr(name).replace("'", '"'))


@dataclass(frozen=True)
class PythonText:
    """Formulas in a place where tensors and attributes belong to `owner`: nobody, or "self."."""

    owner: str = ""

    def expression(self, expression: Expression, outer: int = 0) -> str:
        """The formula as a Python expression.

        >>> PythonText("self.").expression(Arithmetic("*", Number(2), Size("mask", "Wt")))
        '2 * sizes(self.mask).wt'
        """
        match expression:
            case Number(value):
                return repr(value)
            case Text(value):
                return word(value)
            case Attribute(name):
                return f"{self.owner}attrs.{name}"
            case Local(name):
                return name
            case Count(tensor):
                return f"len({self.owner}{tensor})"
            case Size(tensor, what):
                return f"sizes({self.owner}{tensor}).{what.lower()}"
            case Property(tensor, "rank"):
                return f"len({self.owner}{tensor}.shape)"
            case Property(tensor, what):
                return f"{self.owner}{tensor}.{_MEMORY.get(what, what)}"
            case WholeShape(tensor):
                return f"{self.owner}{tensor}.shape"
            case Dimension(tensor, index):
                return f"{self.owner}{tensor}.shape[{self.expression(index)}]"
            case _:
                return self._operation(expression, outer)

    def _operation(self, expression: Expression, outer: int) -> str:
        match expression:
            case Not(operand):
                return f"not {self.expression(operand, _PRECEDENCE['not'])}"
            case Logic(operator, operands):
                return self._logic(operator, operands, outer)
            case Comparison(operator, left, right):
                sign = _comparison(operator, right)
                text = f"{self.expression(left, 4)} {sign} {self.expression(right, 4)}"
                return f"({text})" if outer >= _PRECEDENCE["compare"] else text
            case Arithmetic("ceil", left, right):
                return f"-(-{self.expression(left, 6)} // {self.expression(right, 7)})"
            case Arithmetic("min" | "max" as function, left, right):
                return f"{function}({self.expression(left)}, {self.expression(right)})"
            case Arithmetic(operator, left, right):
                own = _PRECEDENCE[operator]
                text = f"{self.expression(left, own - 1)} {operator} {self.expression(right, own)}"
                return f"({text})" if outer >= own else text
        raise AssertionError(expression)

    def shape(self, parts: Sequence[ShapePart]) -> str:
        """A shape as a tuple.

        >>> PythonText().shape((Slice("x", None, Number(-1)), Number(1)))
        '(*x.shape[:-1], 1)'
        """
        if len(parts) == 1 and isinstance(parts[0], Slice) and parts[0].low is parts[0].high is None:
            return f"{self.owner}{parts[0].tensor}.shape"
        items = [self._shape_part(part) for part in parts]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"

    def _shape_part(self, part: ShapePart) -> str:
        if not isinstance(part, Slice):
            return self.expression(part)
        low = "" if part.low is None else self.expression(part.low)
        high = "" if part.high is None else self.expression(part.high)
        whole = f"*{self.owner}{part.tensor}.shape"
        if not low and not high:
            return whole
        plain = all(one is None or isinstance(one, Number) for one in (part.low, part.high))
        return f"{whole}[{low}:{high}]" if plain else f"{whole}[{f'{low} : {high}'.strip()}]"

    def _logic(self, operator: str, operands: Sequence[Expression], outer: int) -> str:
        among = self._membership(operator, operands)
        if among is not None:
            return f"({among})" if outer >= _PRECEDENCE["compare"] else among
        own = _PRECEDENCE[operator]
        text = f" {operator} ".join(self.expression(one, own) for one in operands) or "True"
        return f"({text})" if outer >= own else text

    def _membership(self, operator: str, operands: Sequence[Expression]) -> str | None:
        """`x == a or x == b` is written `x in (a, b)`."""
        pairs = [one for one in operands if isinstance(one, Comparison) and one.operator == "=="]
        if operator != "or" or len(pairs) != len(operands) or len({one.left for one in pairs}) != 1:
            return None
        members = ", ".join(self.expression(one.right) for one in pairs)
        return f"{self.expression(pairs[0].left, 4)} in ({members})"


def _comparison(operator: str, right: Expression) -> str:
    """Members of enumerations are compared by identity."""
    if isinstance(right, Text) and right.value in _WORDS:
        return {"==": "is", "!=": "is not"}.get(operator, operator)
    return operator
