"""Elementwise expressions: what a kernel does to each element before it stores it. They can be keys.

>>> gelu = apply("gelu", Input("acc"))
>>> str(apply("add", gelu, Input("skip")))
'add(gelu(acc), skip)'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True)
class Input:
    """A value the kernel holds: an accumulator, or an operand."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: float

    def __str__(self) -> str:
        return f"{self.value:g}"


@dataclass(frozen=True)
class Apply:
    """A function of `OPERATIONS` applied to expressions."""

    op: str
    args: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.args))})"


Expr = Input | Number | Apply

# The largest number of bfloat16.
_MOST = 3.3895313892515355e38

COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")

OPERATIONS: dict[str, int] = {
    **dict.fromkeys(
        (
            *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "recip", "tanh"),
            *("sigmoid", "erf", "erfc", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh"),
            *("asinh", "acosh", "atanh", "abs", "floor", "ceil", "trunc", "round", "neg", "relu", "gelu"),
            *("gelu_tanh", "silu", "not", "sign", "isnan", "softplus", "half"),
        ),
        1,
    ),
    **dict.fromkeys(("add", "sub", "mul", "div", "max", "min", "pow", "and", "or", *COMPARISONS), 2),
    "where": 3,
}
"""What expressions may apply, and to how many arguments. Truth is 1.0, falsehood 0.0."""


def apply(op: str, *args: Expr | float) -> Expr:
    """Apply an operation; numbers become constants.

    >>> str(apply("mul", Input("x"), 2.0))
    'mul(x, 2)'
    """
    if OPERATIONS[op] != len(args):
        raise ValueError(f"{op} takes {OPERATIONS[op]} arguments, got {len(args)}")
    return Apply(op, tuple(Number(float(arg)) if isinstance(arg, int | float) else arg for arg in args))


def inputs_of(expr: Expr) -> Iterator[str]:
    """The names an expression reads, as often as it reads them.

    >>> list(inputs_of(apply("add", Input("x"), Input("y"))))
    ['x', 'y']
    """
    if isinstance(expr, Input):
        yield expr.name
    elif isinstance(expr, Apply):
        for arg in expr.args:
            yield from inputs_of(arg)


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with inputs replaced.

    >>> str(substitute(apply("exp", Input("x")), {"x": Number(1)}))
    'exp(1)'
    """
    if isinstance(expr, Input):
        return values.get(expr.name, expr)
    if isinstance(expr, Apply):
        return Apply(expr.op, tuple(substitute(arg, values) for arg in expr.args))
    return expr


def narrowed(expr: Expr) -> Expr:
    """The expression with constants that bfloat16 would round to infinity at the largest it has.

    >>> narrowed(Number(-3.4028234e38))
    Number(value=-3.3895313892515355e+38)
    """
    if isinstance(expr, Number) and isfinite(expr.value):
        return Number(max(-_MOST, min(_MOST, expr.value)))
    if isinstance(expr, Apply):
        return Apply(expr.op, tuple(map(narrowed, expr.args)))
    return expr


def size_of(expr: Expr) -> int:
    """How many operations an expression applies.

    >>> size_of(apply("exp", apply("neg", Input("x"))))
    2
    """
    return 1 + sum(map(size_of, expr.args)) if isinstance(expr, Apply) else 0
