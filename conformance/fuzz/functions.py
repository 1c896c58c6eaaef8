"""Functions of one argument and quotients in random kernels, with how far the vector unit may be off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from conformance.fuzz.nodes import Node, Scope
from conformance.fuzz.values import FLUSHED, Array, Value, half_unit, settled

_ACCURACY = 4e-6
"""Every function of the vector unit that is drawn is right to 2e-6, and its argument is rounded once."""

_FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "sin": np.sin,
    "cos": np.cos,
}
FUNCTIONS = tuple(_FUNCTIONS)
_NEAR_ZERO = ("log", "log2", "sin", "cos", "tanh")
"""Functions with a zero: near it they are right to so much of 1, not of themselves."""
_LARGEST_ANGLE = 64.0


@dataclass(frozen=True)
class Function(Node):
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
        with np.errstate(all="ignore"):
            result, error = self._computed(a)
            floor = 1.0 if self.op in _NEAR_ZERO else 0.0
            error = error + _ACCURACY * np.maximum(np.abs(result), floor)
            error = np.where(np.isfinite(error) & self._known(a), error, np.inf)
            # What is not finite is known where the argument is, to the bit.
            sure = (a.error == 0) & ~np.isfinite(result) & ~np.isnan(a.data) & self._known(a)
            return settled(result, np.where(sure, 0.0, error), self.dtype)

    def _computed(self, a: Value) -> tuple[Array, Array]:
        """The function, and how far its ends lie off where the argument is not known for sure."""
        function = _FUNCTIONS[self.op]
        argument = np.where(np.abs(a.data) < FLUSHED, 0.0, a.data)
        result = function(argument)
        if self.op in ("sin", "cos"):
            return result, a.error + 2 * half_unit(argument, "float32")
        ends = [np.abs(function(argument + sign * a.error) - result) for sign in (-1, 1)]
        moved = np.where(a.error > 0, np.maximum(*ends), 0.0)
        slope = 1.0 + np.abs(argument) if self.op in ("exp", "exp2", "sigmoid") else np.ones(argument.shape)
        return result, np.where(np.isnan(moved), np.inf, moved) + _ACCURACY * 0.1 * slope * np.abs(result)

    def _known(self, a: Value) -> Array:
        if self.op in ("sin", "cos"):
            return np.abs(a.data) + a.error < _LARGEST_ANGLE
        if self.op in ("log", "log2", "sqrt", "rsqrt"):
            sure: Array = (a.data - a.error > 0) | (a.error == 0)
            if self.op in ("sqrt", "rsqrt"):
                # Of a denormal number a processor takes the root, and the vector unit that of zero.
                sure &= (np.abs(a.data) >= FLUSHED) | (a.data == 0)
            return sure
        return np.ones(a.data.shape, bool)


@dataclass(frozen=True)
class Quotient(Node):
    """Division of floats: a product with the reciprocal."""

    a: Node
    b: Node
    dtype: str

    @property
    def text(self) -> str:
        return f"({self.a.text} / {self.b.text})"

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.a, self.b

    def value(self, scope: Scope) -> Value:
        a, b = self.a.value(scope), self.b.value(scope)
        with np.errstate(all="ignore"):
            x, y = (np.where(np.abs(one.data) < FLUSHED, 0.0, one.data) for one in (a, b))
            result = x / y
            error = (a.error + np.abs(result) * b.error) / (np.abs(y) - b.error)
            error = error + _ACCURACY * np.abs(result)
            # Neither a quotient of infinities nor a reciprocal beyond the largest number is IEEE's.
            usual = (np.abs(y) > b.error) & (np.abs(y) < 2.0**125) & (np.abs(y) > 2.0**-125) & np.isfinite(x)
            return settled(result, np.where(usual & np.isfinite(error), error, np.inf), self.dtype)
