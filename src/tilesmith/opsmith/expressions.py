"""Sizes, conditions and shapes as specs write them, with the names of a spec resolved.

`2 * Wt`, `NC * Ht`, `mask.shape[-1] == input.shape[-1]`, `[..., 1]`, `input.shape[:dim] + [num_tensors]`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TypeAlias

# What a tensor can be asked for: its last four dimensions (leading ones counted into N), and what follows.
SIZES = ("N", "C", "H", "W", "Ht", "Wt", "NC", "rows", "tiles")
PROPERTIES = ("rank", "dtype", "layout", "memory_layout", "buffer_type")


@dataclass(frozen=True)
class Number:
    value: float


@dataclass(frozen=True)
class Text:
    """A word among few: a dtype, a layout, a string."""

    value: str


@dataclass(frozen=True)
class Attribute:
    """A parameter that is not a tensor."""

    name: str


@dataclass(frozen=True)
class Local:
    """A number the program factory has: the units of a core, the first of them, a circular buffer's index."""

    name: str


@dataclass(frozen=True)
class Count:
    """How many tensors a list parameter holds."""

    tensor: str


@dataclass(frozen=True)
class Size:
    tensor: str
    what: str


@dataclass(frozen=True)
class Property:
    tensor: str
    what: str


@dataclass(frozen=True)
class Dimension:
    """`tensor.shape[index]`."""

    tensor: str
    index: Expression


@dataclass(frozen=True)
class WholeShape:
    """`tensor.shape`, to be compared with another."""

    tensor: str


@dataclass(frozen=True)
class Arithmetic:
    """`operator` is one of + - * // % ceil min max."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Comparison:
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Logic:
    """`operator` is `and` or `or`."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Not:
    operand: Expression


Expression: TypeAlias = (
    Number
    | Text
    | Attribute
    | Local
    | Count
    | Size
    | Property
    | Dimension
    | WholeShape
    | Arithmetic
    | Comparison
    | Logic
    | Not
)


@dataclass(frozen=True)
class Slice:
    """Dimensions of a tensor from `low` up to `high`; None is the end. A part of a shape."""

    tensor: str
    low: Expression | None
    high: Expression | None


ShapePart: TypeAlias = Expression | Slice


class UnknownName(Exception):
    """A name in a formula that the spec does not define."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class NotAFormula(Exception):
    """Text that cannot be read as a formula."""


@dataclass(frozen=True)
class Names:
    """What formulas of a spec may name. The first tensor is the one that bare sizes are about.

    A list parameter `parts` stands among the tensors as `parts[0]`; where a rule is about every tensor of it,
    that one is called `each`.
    """

    tensors: tuple[str, ...]
    lists: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    locals: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()

    @property
    def main(self) -> str:
        return self.tensors[0]

    def tensor(self, name: str) -> str | None:
        name = dict(self.aliases).get(name, name)
        return name if name in self.tensors else None

    @property
    def known(self) -> str:
        """For a message: what could have been written."""
        tensors = [one.removesuffix("[0]") for one in self.tensors]
        parts = [*SIZES, *(f"{one}.shape[i]" for one in tensors), *self.attributes, *self.locals]
        return ", ".join([*parts, *(f"len({one})" for one in self.lists)])


def parse_expression(text: str, names: Names) -> Expression:
    """A formula.

    >>> parse_expression("ceil(W / 32)", Names(("x",)))
    Arithmetic(operator='ceil', left=Size(tensor='x', what='W'), right=Number(value=32))
    """
    return _Parser(names).expression(_python_tree(text))


def parse_shape(text: str, names: Names) -> tuple[ShapePart, ...]:
    """A shape: a list of formulas, `...` for the leading dimensions, slices and sums of lists.

    >>> parse_shape("[..., 1]", Names(("x",)))
    (Slice(tensor='x', low=None, high=Number(value=-1)), Number(value=1))
    """
    return tuple(_Parser(names).shape(_python_tree(text)))


def _python_tree(text: str) -> ast.expr:
    plain = text.strip().strip("`").replace("×", "*").replace("·", "*").replace("≤", "<=").replace("≥", ">=")
    plain = re.sub(r"(?<=[\w)])\s*&&\s*", " and ", plain)
    try:
        return ast.parse(plain.strip(), mode="eval").body
    except SyntaxError:
        raise NotAFormula(text) from None


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "//",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


class _Parser:
    def __init__(self, names: Names) -> None:
        self.names = names

    def expression(self, node: ast.expr) -> Expression:
        match node:
            case ast.Constant(value=bool() as value):
                return Number(int(value))
            case ast.Constant(value=int() | float() as value):
                return Number(value)
            case ast.Constant(value=str() as value):
                return Text(value)
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return Number(-value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Not(self.expression(operand))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return Arithmetic(_OPERATORS[type(op)], self.expression(left), self.expression(right))
            case ast.Compare():
                return self._comparison(node)
            case ast.BoolOp(op=op, values=values):
                operator = "and" if isinstance(op, ast.And) else "or"
                return Logic(operator, tuple(map(self.expression, values)))
            case ast.Attribute(value=ast.Name(id=tensor), attr=what):
                return self._of_tensor(tensor, what)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=tensor), attr="shape"), slice=index):
                return Dimension(self._tensor(tensor), self.expression(index))
            case ast.Subscript(value=ast.Name(id="shape"), slice=index):
                return Dimension(self.names.main, self.expression(index))
            case ast.Call(func=ast.Name(id=function), args=args):
                return self._call(function, args)
        raise NotAFormula(ast.unparse(node))

    def shape(self, node: ast.expr) -> list[ShapePart]:
        match node:
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return [*self.shape(left), *self.shape(right)]
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self._item(item, len(items)) for item in items]
            case ast.Attribute(value=ast.Name(id=tensor), attr="shape"):
                return [Slice(self._tensor(tensor), None, None)]
            case ast.Subscript(slice=ast.Slice(lower=low, upper=high, step=None), value=value):
                return [Slice(self._sliced(value), self._optional(low), self._optional(high))]
        raise NotAFormula(ast.unparse(node))

    def _sliced(self, node: ast.expr) -> str:
        """Whose shape it is: `tensor.shape`, or `shape` of the first tensor."""
        match node:
            case ast.Attribute(value=ast.Name(id=tensor), attr="shape"):
                return self._tensor(tensor)
            case ast.Name(id="shape"):
                return self.names.main
        raise NotAFormula(ast.unparse(node))

    def _item(self, node: ast.expr, of: int) -> ShapePart:
        if isinstance(node, ast.Constant) and node.value is Ellipsis:
            return Slice(self.names.main, None, Number(1 - of))
        return self.expression(node)

    def _optional(self, node: ast.expr | None) -> Expression | None:
        return None if node is None else self.expression(node)

    def _tensor(self, name: str) -> str:
        found = self.names.tensor(name)
        if found is None:
            raise UnknownName(name)
        return found

    def _name(self, name: str) -> Expression:
        if name in self.names.attributes:
            return Attribute(name)
        if name in self.names.locals:
            return Local(name)
        if name in SIZES:
            return Size(self.names.main, name)
        if name in ("rank", "ndim"):
            return Property(self.names.main, "rank")
        if name in ("num_tensors", "num_inputs") and self.names.lists:
            return Count(self.names.lists[0])
        if name.upper() in self.names.words:
            return Text(name.upper())
        raise UnknownName(name)

    def _of_tensor(self, tensor: str, what: str) -> Expression:
        name = self._tensor(tensor)
        if what == "shape":
            return WholeShape(name)
        if what in SIZES:
            return Size(name, what)
        if what in PROPERTIES:
            return Property(name, what)
        raise UnknownName(f"{tensor}.{what}")

    def _comparison(self, node: ast.Compare) -> Expression:
        sides = [node.left, *node.comparators]
        result: list[Expression] = []
        for left, op, right in zip(sides, node.ops, sides[1:], strict=False):
            if isinstance(op, ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
                equal = [Comparison("==", self.expression(left), self.expression(one)) for one in right.elts]
                result.append(Logic("or", tuple(equal)))
            elif type(op) in _COMPARISONS:
                result.append(
                    _compared(_COMPARISONS[type(op)], self.expression(left), self.expression(right))
                )
            else:
                raise NotAFormula(ast.unparse(node))
        return result[0] if len(result) == 1 else Logic("and", tuple(result))

    def _call(self, function: str, args: list[ast.expr]) -> Expression:
        if function == "len" and len(args) == 1 and isinstance(args[0], ast.Name):
            if args[0].id not in self.names.lists:
                raise UnknownName(args[0].id)
            return Count(args[0].id)
        if function in ("ceil", "div_up") and len(args) == 2:
            return Arithmetic("ceil", self.expression(args[0]), self.expression(args[1]))
        if function == "ceil" and len(args) == 1 and isinstance(args[0], ast.BinOp):
            return Arithmetic("ceil", self.expression(args[0].left), self.expression(args[0].right))
        if function in ("min", "max") and len(args) == 2:
            return Arithmetic(function, self.expression(args[0]), self.expression(args[1]))
        raise UnknownName(f"{function}()")


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _compared(operator: str, left: Expression, right: Expression) -> Comparison:
    """With the number on the right."""
    if isinstance(left, Number | Text) and not isinstance(right, Number | Text):
        return Comparison(_MIRRORED.get(operator, operator), right, left)
    return Comparison(operator, left, right)
