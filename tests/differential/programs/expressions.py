"""Scalar expressions of random kernels: printed for TileLang, computed by torch, with bounds on values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

import torch

Tensor = torch.Tensor
Rounding = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Interval:
    """What a value may be: keeps functions where they are defined, and sums where bf16 tells them apart."""

    low: float
    high: float

    @property
    def size(self) -> float:
        return max(abs(self.low), abs(self.high))


@dataclass(frozen=True)
class Expression:
    """`text` is TileLang; `value` computes it from named tensors, rounding wherever the chip may round."""

    text: str
    value: Callable[[Mapping[str, Tensor], Rounding], Tensor]
    bounds: Interval


def constant(number: float) -> Expression:
    return Expression(
        repr(number), lambda _, __: torch.tensor(number, dtype=torch.float64), Interval(number, number)
    )


def reading(name: str, subscript: str, bounds: Interval) -> Expression:
    return Expression(f"{name}[{subscript}]", lambda values, _: values[name], bounds)


def _apply(template: str, compute: Callable[..., Tensor], bounds: Interval, *args: Expression) -> Expression:
    def value(values: Mapping[str, Tensor], rounding: Rounding) -> Tensor:
        return rounding(compute(*(arg.value(values, rounding) for arg in args)))

    return Expression(template.format(*(arg.text for arg in args)), value, bounds)


def _rising(
    template: str, compute: Callable[..., Tensor], at: Callable[[float], float]
) -> Callable[[Expression], Expression]:
    return lambda x: _apply(template, compute, Interval(at(x.bounds.low), at(x.bounds.high)), x)


def _corners(x: Interval, y: Interval, at: Callable[[float, float], float]) -> Interval:
    values = [at(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    return Interval(min(values), max(values))


def _magnitude(x: Interval) -> Interval:
    return Interval(0.0 if x.low <= 0.0 <= x.high else min(abs(x.low), abs(x.high)), x.size)


_UNIT = Interval(-1.0, 1.0)
_SAFE = 0.25  # a divisor is at least this far from zero

UNARY: Mapping[str, Callable[[Expression], Expression]] = {
    "tanh": _rising("T.tanh({})", torch.tanh, math.tanh),
    "sigmoid": _rising("T.sigmoid({})", torch.sigmoid, lambda x: 1.0 / (1.0 + math.exp(-x))),
    "exp": _rising("T.exp({})", torch.exp, math.exp),
    "exp2": _rising("T.exp2({})", torch.exp2, lambda x: 2.0**x),
    "erf": _rising("T.erf({})", torch.erf, math.erf),
    "sin": lambda x: _apply("T.sin({})", torch.sin, _UNIT, x),
    "cos": lambda x: _apply("T.cos({})", torch.cos, _UNIT, x),
    "abs": lambda x: _apply("T.abs({})", torch.abs, _magnitude(x.bounds), x),
    "negate": lambda x: _apply("(-{})", torch.neg, Interval(-x.bounds.high, -x.bounds.low), x),
    "square": lambda x: _apply(
        "({0} * {0})", torch.square, Interval(_magnitude(x.bounds).low ** 2, x.bounds.size**2), x
    ),
    "relu": _rising("T.max({}, 0.0)", torch.relu, lambda x: max(x, 0.0)),
    "leaky": _rising(
        "T.if_then_else({0} > 0.0, {0}, {0} * 0.125)",
        lambda x: torch.where(x > 0, x, x * 0.125),
        lambda x: x if x > 0 else x * 0.125,
    ),
}
ABOVE_ZERO: Mapping[str, Callable[[Expression], Expression]] = {
    "sqrt": _rising("T.sqrt({})", torch.sqrt, math.sqrt),
    "log": _rising("T.log({})", torch.log, math.log),
    "reciprocal": lambda x: _apply(
        "(1.0 / {})", torch.reciprocal, Interval(1.0 / x.bounds.high, 1.0 / x.bounds.low), x
    ),
    "rsqrt": lambda x: _apply(
        "T.rsqrt({})", torch.rsqrt, Interval(x.bounds.high**-0.5, x.bounds.low**-0.5), x
    ),
}
BINARY: Mapping[str, tuple[str, Callable[[Tensor, Tensor], Tensor], Callable[[float, float], float]]] = {
    "add": ("({} + {})", torch.add, lambda a, b: a + b),
    "subtract": ("({} - {})", torch.sub, lambda a, b: a - b),
    "multiply": ("({} * {})", torch.mul, lambda a, b: a * b),
    "maximum": ("T.max({}, {})", torch.maximum, max),
    "minimum": ("T.min({}, {})", torch.minimum, min),
}


def binary(name: str, x: Expression, y: Expression) -> Expression:
    template, compute, at = BINARY[name]
    return _apply(template, compute, _corners(x.bounds, y.bounds, at), x, y)


def divide(x: Expression, y: Expression) -> Expression:
    return _apply("({} / {})", torch.div, _corners(x.bounds, y.bounds, lambda a, b: a / b), x, y)


def select(condition: Expression, x: Expression, y: Expression) -> Expression:
    """The condition must be exact: rounding would turn a near tie into another branch."""
    bounds = Interval(min(x.bounds.low, y.bounds.low), max(x.bounds.high, y.bounds.high))

    def compute(c: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return torch.where(c != 0, a, b)

    return _apply("T.if_then_else({}, {}, {})", compute, bounds, condition, x, y)


def tamed(x: Expression, limit: float = 16.0) -> Expression:
    """Scaled down by a power of two if it may be larger than the limit."""
    if x.bounds.size <= limit:
        return x
    return binary("multiply", x, constant(2.0 ** -math.ceil(math.log2(x.bounds.size / limit))))


def random_expression(
    random: Random, leaves: list[Expression], conditions: list[Expression], depth: int
) -> Expression:
    """A tree over the leaves. Every step stays within bounds, so no case is a comparison of overflows."""
    if depth == 0 or random.random() < 0.15:
        return (
            random.choice(leaves)
            if random.random() < 0.85
            else constant(random.choice([0.5, 1.0, -1.5, 0.25, 2.0]))
        )
    kind = random.choice(["unary", "unary", "binary", "binary", "binary", "select", "divide"])
    x = tamed(random_expression(random, leaves, conditions, depth - 1))
    if kind == "unary":
        return _random_unary(random, x)
    y = tamed(random_expression(random, leaves, conditions, depth - 1))
    if kind == "select" and conditions:
        return select(random.choice(conditions), x, y)
    if kind == "divide" and y.bounds.low >= _SAFE:
        return divide(x, y)
    return binary(random.choice(sorted(BINARY)), x, y)


def _random_unary(random: Random, x: Expression) -> Expression:
    if x.bounds.low >= _SAFE and random.random() < 0.6:
        return ABOVE_ZERO[random.choice(sorted(ABOVE_ZERO))](x)
    name = random.choice(sorted(UNARY))
    if name in ("exp", "exp2", "sin", "cos"):
        x = tamed(x, 4.0)
    return UNARY[name](x)
