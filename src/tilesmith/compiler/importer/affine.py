"""Indices as a sum of loop variables and a part that does not change in the loops."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tilesmith.compiler.importer.source import Binary, Cast, Expr, Name, Number, Variable, is_integer, walk

ZERO = Number(0)


@dataclass(frozen=True)
class Affine:
    """factors[v] * v summed up, plus `rest`."""

    factors: dict[Variable, int]
    rest: Expr


def uses(expr: Expr, variables: Collection[Variable]) -> bool:
    return any(isinstance(part, Name) and part.variable in variables for part in walk(expr))


def plus(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value + b.value, a.dtype)
    if isinstance(a, Number) and a.value == 0:
        return b
    return a if isinstance(b, Number) and b.value == 0 else Binary("add", a, b, a.dtype)


def minus(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value - b.value, a.dtype)
    return a if isinstance(b, Number) and b.value == 0 else Binary("sub", a, b, a.dtype)


def times(a: Expr, factor: int) -> Expr:
    if isinstance(a, Number):
        return Number(a.value * factor, a.dtype)
    return a if factor == 1 else Binary("mul", a, Number(factor), a.dtype)


def affine(expr: Expr, variables: Collection[Variable]) -> Affine | None:
    """The expression as a sum over these variables; None if it is not one.

    >>> i, b = Variable("i"), Variable("b")
    >>> found = affine(plus(times(Name(b), 64), Name(i)), {i})
    >>> found.factors == {i: 1}, found.rest == times(Name(b), 64)
    (True, True)
    """
    if not uses(expr, variables):
        return Affine({}, expr)
    match expr:
        case Name(variable):
            return Affine({variable: 1}, ZERO)
        case Binary("add" | "sub" as op, a, b):
            return _sum(affine(a, variables), affine(b, variables), 1 if op == "add" else -1)
        case Binary("mul", a, Number(factor)) | Binary("mul", Number(factor), a):
            inner = affine(a, variables)
            if inner is None:
                return None
            factors = {v: f * int(factor) for v, f in inner.factors.items()}
            return Affine(factors, times(inner.rest, int(factor)))
        case Cast(a, dtype) if is_integer(dtype) and is_integer(a.dtype):
            return affine(a, variables)
    return None


def _sum(a: Affine | None, b: Affine | None, sign: int) -> Affine | None:
    if a is None or b is None:
        return None
    factors = {v: a.factors.get(v, 0) + sign * b.factors.get(v, 0) for v in {**a.factors, **b.factors}}
    rest = plus(a.rest, b.rest) if sign > 0 else minus(a.rest, b.rest)
    return Affine({v: f for v, f in factors.items() if f}, rest)
