"""Emitter: writes one C++ kernel. How each operation is written is registered by the modules beside this one.

    @emits(SomeOp)
    def _(e: Emitter, op: SomeOp) -> None:
        e.line(f"some_call({e.cb(op.cb)}, {e.value(op.index)});")

An operation that is an expression (one result, and C++ that is one expression) registers with `expresses`. If
it is pure and used once, it is written where it is used; otherwise it becomes a named constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from xdsl.dialects.builtin import FileLineColLoc, Float32Type, IndexType, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tilesmith.compiler.codegen.names import Names
from tilesmith.compiler.codegen.placement import is_inlined
from tilesmith.compiler.codegen.wrapping import wrapped
from tilesmith.compiler.dialects.tile import location_of
from tilesmith.compiler.dialects.tt import CBOp
from tilesmith.errors import InternalFault

LOWEST, TERNARY, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUALITY, RELATION, SHIFT, SUM, PRODUCT, UNARY, ATOM = (
    range(14)
)
"""How tightly C++ operators bind, weakest first."""


class Expr(NamedTuple):
    """An expression and how tightly its outermost operator binds."""

    text: str
    binds: int = ATOM


Op = TypeVar("Op", bound=Operation)
_STATEMENTS: dict[type[Operation], Callable[[Emitter, Any], None]] = {}
_EXPRESSIONS: dict[type[Operation], Callable[[Emitter, Any], Expr]] = {}


def emits(
    *op_classes: type[Operation],
) -> Callable[[Callable[[Emitter, Op], None]], Callable[[Emitter, Op], None]]:
    """Register how an operation is written as statements."""

    def register(function: Callable[[Emitter, Op], None]) -> Callable[[Emitter, Op], None]:
        _STATEMENTS.update(dict.fromkeys(op_classes, function))
        return function

    return register


def expresses(
    *op_classes: type[Operation],
) -> Callable[[Callable[[Emitter, Op], Expr]], Callable[[Emitter, Op], Expr]]:
    """Register how an operation with one result is written as an expression."""

    def register(function: Callable[[Emitter, Op], Expr]) -> Callable[[Emitter, Op], Expr]:
        _EXPRESSIONS.update(dict.fromkeys(op_classes, function))
        return function

    return register


# What to call a result that has no name of its own.
_NAMES = {
    "arith.addi": "position",
    "arith.subi": "distance",
    "arith.muli": "offset",
    "arith.divsi": "quotient",
    "arith.floordivsi": "quotient",
    "arith.remsi": "remainder",
    "arith.minsi": "least",
    "arith.maxsi": "most",
    "arith.cmpi": "holds",
    "arith.cmpf": "holds",
    "arith.andi": "both",
    "arith.ori": "either",
    "arith.select": "chosen",
}


def cpp_type(mlir_type: Attribute) -> str:
    """The C++ type of a scalar.

    >>> cpp_type(IndexType()), cpp_type(Float32Type()), cpp_type(IntegerType(1))
    ('int32_t', 'float', 'bool')
    """
    if isinstance(mlir_type, IndexType):
        return "int32_t"
    if isinstance(mlir_type, Float32Type):
        return "float"
    if isinstance(mlir_type, IntegerType):
        width = mlir_type.width.data
        return "bool" if width == 1 else f"int{width}_t"
    raise InternalFault(f"no C++ type for a scalar of type {mlir_type}")


class Line(str):
    """A line of C++, and the user's "file:line" it was written for."""

    at: str

    def __new__(cls, text: str, at: str) -> Line:
        line = super().__new__(cls, text)
        line.at = at
        return line


class Emitter:
    """The text of one kernel while it grows: the body line by line, and what belongs above it."""

    def __init__(self, role: str, avoid: frozenset[str] = frozenset()) -> None:
        self.role = role
        self.includes: set[str] = set()
        self.defines: set[str] = set()
        self.helpers: dict[str, str] = {}
        self.lines: list[str] = []
        self.cbs: dict[str, int] = {}
        self.next_words = "0"
        self.names = Names(avoid)
        self._indent = 1
        self._at = ""

    # ---- text ----

    def line(self, text: str) -> None:
        self.lines += (Line(part, self._at) for part in wrapped(text, "    " * self._indent))

    def comment(self, text: str) -> None:
        """A comment with an empty line above it, unless it opens its block."""
        if self.lines and not self.lines[-1].endswith("{"):
            self.gap()
        self.line(f"// {text}")

    def gap(self) -> None:
        """An empty line, unless there is one already."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        """`header {`, what is written inside it, and `}`; names declared inside end with it."""
        self.line(f"{header} {{" if header else "{")
        self._indent += 1
        with self.names.scope():
            yield
        self._indent -= 1
        while not self.lines[-1]:
            self.lines.pop()
        self.line("}")

    def reopen(self) -> None:
        """Take back the brace just written, so that what follows can start with it (`} else {`)."""
        self.lines.pop()

    def include(self, path: str) -> None:
        self.includes.add(path)

    def define(self, name: str) -> None:
        """A macro that headers look at, so it stands above them."""
        self.defines.add(name)

    def helper(self, name: str, text: str) -> None:
        """A function the kernel needs, printed once above it."""
        self.helpers[name] = text.strip()

    # ---- values ----

    def value(self, value: SSAValue, tighter_than: int = LOWEST) -> str:
        """An expression for the value; in parentheses unless its operator binds tighter than asked.

        Without the second argument it is right as an argument of a call or the right side of an assignment.
        """
        text, binds = self.expression(value)
        return text if binds > tighter_than else f"({text})"

    def operand(self, value: SSAValue) -> str:
        """An expression that may stand beside any operator."""
        return self.value(value, UNARY)

    def declare(self, value: SSAValue, fallback: str = "value") -> str:
        """The name of a value that is defined here: the user's, if it has one."""
        return self.names.declare(value, fallback)

    def cb(self, value: SSAValue) -> str:
        """The C++ name of a circular buffer, a constexpr uint32_t."""
        assert isinstance(value.owner, CBOp)
        op = value.owner
        name = f"cb_{self.names.identifier(op.cb_name.data)}"
        if op.index is None:
            raise InternalFault(f"circular buffer {op.cb_name.data} has no index yet")
        self.cbs[name] = op.index.value.data
        return name

    def expression(self, value: SSAValue) -> Expr:
        """The expression for a value, and how tightly it binds."""
        known = self.names.get(value)
        if known is not None:
            return Expr(known)
        owner = value.owner
        if isinstance(owner, Operation) and type(owner) in _EXPRESSIONS:
            return _EXPRESSIONS[type(owner)](self, owner)
        raise InternalFault(f"a value is used before it has a name: {value}")

    # ---- operations ----

    def emit(self, op: Operation) -> None:
        """Write one operation as registered."""
        if isinstance(op.location, FileLineColLoc):
            self._at = location_of(op)
        op_class = type(op)
        if op_class in _STATEMENTS:
            _STATEMENTS[op_class](self, op)
        elif op_class not in _EXPRESSIONS:
            raise InternalFault(f"no C++ is known for {op.name}")
        elif not is_inlined(op):
            self._name(op)

    def body(self, block: Block) -> None:
        for op in block.ops:
            self.emit(op)

    def _name(self, op: Operation) -> None:
        (result,) = op.results
        text = _EXPRESSIONS[type(op)](self, op).text
        name = self.declare(result, _NAMES.get(op.name, "value"))
        self.line(f"const {cpp_type(result.type)} {name} = {text};")
