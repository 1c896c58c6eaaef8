"""Quotients and remainders of sums that come out even."""

from __future__ import annotations

from collections.abc import Mapping

from tilesmith.compiler.importer.affine import Affine, affine, plus, times
from tilesmith.compiler.importer.bounds import largest
from tilesmith.compiler.importer.rewrite import transform
from tilesmith.compiler.importer.source import Binary, Expr, Name, Number, Variable, is_nonnegative

Extents = Mapping[Variable, int]


def simplified(expr: Expr, extents: Extents) -> Expr:
    """The expression without divisions that the extents of its variables make unnecessary.

    >>> i, j = Variable("i", counts=True), Variable("j", counts=True)
    >>> flat = plus(times(Name(i), 64), Name(j))
    >>> simplified(Binary("floordiv", flat, Number(64), "int32"), {i: 8, j: 64}) == Name(i)
    True
    """
    return transform(expr, lambda part: _division(part, extents))


def _division(part: Expr, extents: Extents) -> Expr:
    if not isinstance(part, Binary) or part.op not in ("floordiv", "floormod"):
        return part
    if not isinstance(part.b, Number):
        return part
    divisor = int(part.b.value)
    sum_ = affine(part.a, extents)
    if sum_ is None or divisor <= 0 or not is_nonnegative(sum_.rest):
        return part
    even, odd = _split(sum_, divisor, extents)
    top = largest(odd, {v: Number(size) for v, size in extents.items()})
    if top is None or top >= divisor or not is_nonnegative(odd):
        return part
    return odd if part.op == "floormod" else even


def _split(sum_: Affine, divisor: int, extents: Extents) -> tuple[Expr, Expr]:
    """The part that is a multiple of the divisor, divided by it, and the rest."""
    even: Expr = Number(0)
    odd: Expr = Number(0)
    for variable in extents:
        factor = sum_.factors.get(variable, 0)
        if factor % divisor == 0 and factor:
            even = plus(even, times(Name(variable), factor // divisor))
        elif factor:
            odd = plus(odd, times(Name(variable), factor))
    quotient, rest = _divided(sum_.rest, divisor)
    return plus(even, quotient), plus(odd, rest)


def _divided(expr: Expr, divisor: int) -> tuple[Expr, Expr]:
    """Quotient and remainder of an invariant, split where it is a sum of multiples."""
    if isinstance(expr, Number):
        return Number(int(expr.value) // divisor), Number(int(expr.value) % divisor)
    if isinstance(expr, Binary) and expr.op == "add":
        (qa, ra), (qb, rb) = _divided(expr.a, divisor), _divided(expr.b, divisor)
        return plus(qa, qb), plus(ra, rb)
    if isinstance(expr, Binary) and expr.op == "mul" and isinstance(expr.b, Number):
        factor = int(expr.b.value)
        if factor % divisor == 0:
            return times(expr.a, factor // divisor), Number(0)
    return Number(0), expr
