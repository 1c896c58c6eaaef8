"""Functions in random kernels that jump: roundings to whole numbers, tests of floats, bits of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from conformance.fuzz.nodes import Node, Scope
from conformance.fuzz.values import FLUSHED, Array, Value, is_float, settled, stored, without_nan

_WHOLE: dict[str, Callable[[Array], Array]] = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}
WHOLE = tuple(_WHOLE)
_TESTS: dict[str, Callable[[Array], Array]] = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
}
TESTS = tuple(_TESTS)


@dataclass(frozen=True)
class Whole(Node):
    """A float made whole; near a whole number anything is right unless the float is known."""

    op: str
    a: Node
    dtype: str

    @property
    def text(self) -> str:
        return f"T.{self.op}({self.a.text})"

    @property
    def parts(self) -> tuple[Node, ...]:
        return (self.a,)

    def value(self, scope: Scope) -> Value:
        a = self.a.value(scope)
        function = _WHOLE[self.op]
        with np.errstate(all="ignore"):
            result = function(a.data)
            sure = (function(a.data - a.error) == result) & (function(a.data + a.error) == result)
            # A denormal number counts as zero.
            sure = (sure | (a.error == 0)) & ((np.abs(a.data) >= FLUSHED) | (a.data == 0))
            made = settled(result, np.zeros(result.shape), self.dtype)
        return Value(made.data, np.where(sure, made.error, np.inf))


@dataclass(frozen=True)
class Test(Node):
    """Whether a float is a number, or infinite."""

    op: str
    a: Node
    dtype: str = field(default="bool")

    @property
    def text(self) -> str:
        return f"T.{self.op}({self.a.text})"

    @property
    def parts(self) -> tuple[Node, ...]:
        return (self.a,)

    def value(self, scope: Scope) -> Value:
        a = self.a.value(scope)
        # NaN of narrow floats, and what may be any number, is not known.
        unsure = ~np.isfinite(a.error) | (np.isnan(a.data) & without_nan(self.a.dtype))
        return Value(_TESTS[self.op](a.data).astype(np.int64), np.where(unsure, np.inf, 0.0))


@dataclass(frozen=True)
class Bits(Node):
    """The bits of a 32-bit number as another type has them."""

    a: Node
    dtype: str

    @property
    def text(self) -> str:
        return f"T.reinterpret({self.a.text}, '{self.dtype}')"

    @property
    def parts(self) -> tuple[Node, ...]:
        return (self.a,)

    def value(self, scope: Scope) -> Value:
        a = self.a.value(scope)
        if is_float(self.a.dtype):
            bits = a.data.astype(np.float32).view(np.uint32).astype(np.int64)
            # The sign of zero, the bits of NaN, and whether small numbers are zero, nobody promises.
            known = (a.error == 0) & ~np.isnan(a.data) & (np.abs(a.data) >= FLUSHED)
            return Value(stored(bits, self.dtype), np.where(known, 0.0, np.inf))
        number = (a.data & 0xFFFFFFFF).astype(np.uint32).view(np.float32).astype(np.float64)
        known = (a.error == 0) & ~np.isnan(number) & ((np.abs(number) >= FLUSHED) | (number == 0))
        return Value(number, np.where(known, 0.0, np.inf))


@dataclass(frozen=True)
class Clamp(Node):
    """A number kept between two others."""

    a: Node
    least: Node
    most: Node
    dtype: str

    @property
    def text(self) -> str:
        return f"T.clamp({self.a.text}, {self.least.text}, {self.most.text})"

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.a, self.least, self.most

    def value(self, scope: Scope) -> Value:
        a, least, most = (one.value(scope) for one in self.parts)
        with np.errstate(all="ignore"):
            result = np.minimum(np.maximum(a.data, least.data), most.data)
            error = np.maximum(a.error, np.maximum(least.error, most.error))
            small = np.abs(result) < FLUSHED
            error = error + np.where(small & is_float(self.dtype), np.abs(result), 0.0)
        return Value(result, np.where(np.isnan(a.data), np.inf, error))


@dataclass(frozen=True)
class Looked(Node):
    """Whether any element, or all, of a row of a tensor that nothing writes are true."""

    op: str
    name: str
    row: Node
    cols: int
    dtype: str = field(default="bool")

    @property
    def text(self) -> str:
        return f"T.{self.op}({self.name}[{self.row.text}, 0:{self.cols}])"

    @property
    def parts(self) -> tuple[Node, ...]:
        return (self.row,)

    def value(self, scope: Scope) -> Value:
        found = scope.memories[self.name].data[int(self.row.value(scope).data)] != 0
        return Value.exact(np.asarray(found.any() if self.op == "any_of" else found.all(), np.int64))
