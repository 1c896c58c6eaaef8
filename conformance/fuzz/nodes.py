"""Expressions of random kernels: each prints itself as TileLang and computes itself with its error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from conformance.fuzz.values import FLUSHED, Array, Value, half_unit, is_float, settled, stored, without_nan


@dataclass(frozen=True)
class Scope:
    """Buffers and tensors by name, and the loop and block indices where an expression stands."""

    memories: Mapping[str, Value]
    indices: Mapping[str, Array]


class Node:
    """`dtype` is the type TileLang gives the expression."""

    dtype: str

    @property
    def text(self) -> str:
        raise NotImplementedError

    @property
    def parts(self) -> tuple[Node, ...]:
        return ()

    def value(self, scope: Scope) -> Value:
        raise NotImplementedError


@dataclass(frozen=True)
class Const(Node):
    number: float | int
    dtype: str = "int32"

    @property
    def text(self) -> str:
        if self.dtype == "int32":
            return repr(self.number)
        return f"T.cast({self.number!r}, '{self.dtype}')"

    def value(self, _: Scope) -> Value:
        exact = np.asarray(self.number, np.float64 if is_float(self.dtype) else np.int64)
        rounded = stored(exact, self.dtype)
        # Arithmetic on narrow floats is done in float32, and a constant takes part with all of its bits.
        return Value(rounded, np.abs(rounded - exact) if is_float(self.dtype) else np.zeros(exact.shape))


@dataclass(frozen=True)
class Index(Node):
    """A loop or block index, or a scalar variable of integers."""

    name: str
    dtype: str = "int32"

    @property
    def text(self) -> str:
        return self.name

    def value(self, scope: Scope) -> Value:
        return Value.exact(np.asarray(scope.indices[self.name], np.int64))


@dataclass(frozen=True)
class Load(Node):
    """An element of a buffer or a tensor; without indices a scalar variable."""

    name: str
    at: tuple[Node, ...]
    dtype: str

    @property
    def text(self) -> str:
        return f"{self.name}[{', '.join(index.text for index in self.at)}]" if self.at else self.name

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.at

    def value(self, scope: Scope) -> Value:
        memory = scope.memories[self.name]
        indices = [index.value(scope).data for index in self.at]
        sizes = memory.data.shape
        indices = [at + size if at.max() < 0 else at for at, size in zip(indices, sizes, strict=True)]
        inside = np.asarray(True)
        for index, size in zip(indices, memory.data.shape, strict=True):
            inside = inside & (index >= 0) & (index < size)
        clipped = tuple(
            np.clip(index, 0, size - 1) for index, size in zip(indices, memory.data.shape, strict=True)
        )
        found = memory.at(clipped)
        if without_nan(self.dtype):
            inside = inside & ~np.isnan(found.data)
        # Outside there is no value: whoever looks must have chosen otherwise.
        return Value(found.data, np.where(inside, found.error, np.inf))


@dataclass(frozen=True)
class Binary(Node):
    """`op` is a key of the table below; both sides have the type of the result."""

    op: str
    a: Node
    b: Node
    dtype: str

    @property
    def text(self) -> str:
        a, b = self.a.text, self.b.text
        return f"T.{self.op}({a}, {b})" if self.op.isalpha() else f"({a} {self.op} {b})"

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.a, self.b

    def value(self, scope: Scope) -> Value:
        a, b = self.a.value(scope), self.b.value(scope)
        with np.errstate(all="ignore"):
            return (
                _float_binary(self.op, a, b, self.dtype)
                if is_float(self.dtype)
                else _integer(self.op, a, b, self.dtype)
            )


_OPS: dict[str, Callable[[Array, Array], Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "//": np.floor_divide,
    "%": np.mod,
    "truncdiv": lambda a, b: np.sign(a) * (np.abs(a) // b),
    "truncmod": lambda a, b: np.sign(a) * (np.abs(a) % b),
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "max": np.maximum,
    "min": np.minimum,
}


def _integer(op: str, a: Value, b: Value, dtype: str) -> Value:
    x, y = a.data, b.data
    result = _OPS[op](x, y)
    return Value(stored(result, dtype), a.error + b.error)


def _float_binary(op: str, a: Value, b: Value, dtype: str) -> Value:
    x, y = a.data, b.data
    if op in ("max", "min"):
        result = np.maximum(x, y) if op == "max" else np.minimum(x, y)
        # A denormal operand counts as zero, as wherever the vector unit reads.
        error = np.maximum(a.error, b.error) + np.where(np.abs(result) < FLUSHED, np.abs(result), 0.0)
        # Of a number and NaN a chip may take either.
        return Value(result, np.where(np.isnan(x) | np.isnan(y), np.inf, error))
    result = _OPS[op](x, y)
    error = a.error * np.abs(y) + b.error * np.abs(x) + a.error * b.error if op == "*" else a.error + b.error
    error = np.where(np.isnan(error), np.inf, error)
    small = [(np.abs(one) < FLUSHED) & (one != 0) for one in (x, y)]
    # A denormal operand counts as zero.
    for one, other, flushed in ((x, y, small[0]), (y, x, small[1])):
        error = error + np.where(flushed, np.abs(one) * (np.abs(other) if op == "*" else 1.0), 0.0)
    if op != "*" and dtype == "bfloat16":
        # The matrix unit brings the smaller operand to the exponent of the larger and keeps ten bits below.
        larger = np.where(np.isfinite(x) & np.isfinite(y), np.maximum(np.abs(x), np.abs(y)), 0.0)
        exponent = np.frexp(larger)[1]
        error = error + np.where((x != 0) & (y != 0), np.ldexp(0.5, exponent - 11), 0.0)
    error = np.where(np.isnan(error), np.inf, error)
    rounded = settled(result, error, dtype)
    # A chip may keep more of an intermediate result than its type has, also beyond the largest.
    beyond = np.isfinite(result) & ~np.isfinite(rounded.data)
    rounded = Value(rounded.data, np.where(beyond, np.inf, rounded.error))
    # The vector unit rounds a product or a sum once more than IEEE has it, in the last place of float32.
    last = np.where(rounded.error > 0, 2 * half_unit(result, "float32"), 0.0)
    return Value(rounded.data, rounded.error + last)


@dataclass(frozen=True)
class Unary(Node):
    op: str
    a: Node
    dtype: str

    @property
    def text(self) -> str:
        return f"T.abs({self.a.text})" if self.op == "abs" else f"(-{self.a.text})"

    @property
    def parts(self) -> tuple[Node, ...]:
        return (self.a,)

    def value(self, scope: Scope) -> Value:
        a = self.a.value(scope)
        result = np.abs(a.data) if self.op == "abs" else -a.data
        if not is_float(self.dtype):
            return Value(stored(result, self.dtype), a.error)
        # A denormal number counts as zero.
        return Value(result, a.error + np.where(np.abs(result) < FLUSHED, np.abs(result), 0.0))


@dataclass(frozen=True)
class Compare(Node):
    op: str
    a: Node
    b: Node
    dtype: str = field(default="bool")

    @property
    def text(self) -> str:
        return f"({self.a.text} {self.op} {self.b.text})"

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.a, self.b

    def value(self, scope: Scope) -> Value:
        a, b = self.a.value(scope), self.b.value(scope)
        x, y = a.data, b.data
        result = {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}[self.op]
        with np.errstate(all="ignore"):
            near = a.error + b.error
            certain = (near == 0) | (np.abs(x - y) > near)
            tiny = (
                (np.abs(x) < FLUSHED) & (np.abs(y) < FLUSHED) & (x != y) if is_float(self.a.dtype) else False
            )
        return Value(result.astype(np.int64), np.where(certain & ~np.asarray(tiny), 0.0, np.inf))


@dataclass(frozen=True)
class Both(Node):
    """`and` of two conditions; the second is looked at only where the first holds."""

    a: Node
    b: Node
    dtype: str = "bool"

    @property
    def text(self) -> str:
        return f"T.And({self.a.text}, {self.b.text})"

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.a, self.b

    def value(self, scope: Scope) -> Value:
        a, b = self.a.value(scope), self.b.value(scope)
        return Value(a.data & b.data, a.error + np.where(a.data != 0, b.error, 0.0))


@dataclass(frozen=True)
class Either(Node):
    """`or` of two conditions; the second is looked at only where the first does not hold."""

    a: Node
    b: Node
    dtype: str = "bool"

    @property
    def text(self) -> str:
        return f"T.Or({self.a.text}, {self.b.text})"

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.a, self.b

    def value(self, scope: Scope) -> Value:
        a, b = self.a.value(scope), self.b.value(scope)
        return Value(a.data | b.data, a.error + np.where(a.data == 0, b.error, 0.0))


@dataclass(frozen=True)
class Select(Node):
    condition: Node
    a: Node
    b: Node
    dtype: str

    @property
    def text(self) -> str:
        return f"T.if_then_else({self.condition.text}, {self.a.text}, {self.b.text})"

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.condition, self.a, self.b

    def value(self, scope: Scope) -> Value:
        test, a, b = (one.value(scope) for one in self.parts)
        return Value(
            np.where(test.data != 0, a.data, b.data),
            np.where(test.data != 0, a.error, b.error) + test.error,
        )


@dataclass(frozen=True)
class Cast(Node):
    a: Node
    dtype: str

    @property
    def text(self) -> str:
        return f"T.cast({self.a.text}, '{self.dtype}')"

    @property
    def parts(self) -> tuple[Node, ...]:
        return (self.a,)

    def value(self, scope: Scope) -> Value:
        return converted(self.a.value(scope), self.a.dtype, self.dtype)


def converted(a: Value, source: str, dtype: str) -> Value:
    """An element of one type written to a place of another."""
    if without_nan(source):
        # On the way from buffer to buffer it may pass units that have no NaN and no denormal numbers of it.
        tiny = np.where(np.abs(a.data) < FLUSHED, np.abs(a.data), 0.0)
        a = Value(a.data, np.where(np.isnan(a.data), np.inf, a.error + tiny))
    if source == dtype:
        return a
    if is_float(dtype):
        result = settled(a.data.astype(np.float64), a.error, dtype)
        return _to_nearest(a, result, dtype) if is_float(source) else result
    if not is_float(source):
        return Value(stored(a.data, dtype), a.error)
    if dtype == "bool":
        return Value((a.data != 0).astype(np.int64), np.where(a.error > 0, np.inf, 0.0))
    # Toward zero; what does not fit may become anything.
    with np.errstate(all="ignore"):
        whole = np.trunc(a.data)
        fits = np.isfinite(a.data) & (stored(np.where(np.isfinite(a.data), whole, 0.0), dtype) == whole)
    return Value(np.where(fits, whole, 0).astype(np.int64), np.where(fits & (a.error == 0), 0.0, np.inf))


def _to_nearest(a: Value, result: Value, dtype: str) -> Value:
    """A float that is known and lies between two of another type becomes the nearer one, to the bit.

    Halfway between the two a chip may take either; small numbers have rules of their own.
    """
    with np.errstate(all="ignore"):
        usual = (
            (a.error == 0)
            & np.isfinite(a.data)
            & (np.abs(a.data) >= 2.0 ** (-14 if dtype == "float16" else -125))
        )
        tie = np.abs(result.data - a.data) >= half_unit(a.data, dtype)
        known = usual & ~tie & np.isfinite(result.data) & np.isfinite(result.error)
    return Value(result.data, np.where(known, 0.0, result.error))
