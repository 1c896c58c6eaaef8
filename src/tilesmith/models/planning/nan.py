"""NaN inside expressions: functions of the chip that make a number of it are told to leave it as it is.

What a kernel itself makes is seen here. NaN that another kernel stored is read as infinity, and the chip's
difference of infinities is none.
"""

from __future__ import annotations

from tilesmith.kernels import expression
from tilesmith.kernels.expression import COMPARISONS, Apply, Expr, Number

_MAKE_NAN = {"log", "log2", "log10", "log1p", "sqrt", "rsqrt", "asin", "acos", "acosh", "atanh", "pow"}
_LOSE_NAN = {"sigmoid", "erf", "erfc", "recip", "div", "min"}
_TRUTHS = {*COMPARISONS, "isnan", "not", "and", "or"}


def apply(op: str, *args: Expr | float) -> Expr:
    """Apply an operation so that NaN in an argument is NaN in the result.

    >>> x = expression.Input("x")
    >>> str(apply("sigmoid", x))
    'sigmoid(x)'
    >>> str(apply("sigmoid", apply("sqrt", x)))
    'where(isnan(sqrt(x)), sqrt(x), sigmoid(sqrt(x)))'
    """
    result = expression.apply(op, *args)
    if op in _LOSE_NAN and isinstance(result, Apply):
        for arg in result.args:
            if may_be_nan(arg):
                result = expression.apply("where", expression.apply("isnan", arg), arg, result)
    return result


def may_be_nan(expr: Expr) -> bool:
    """Whether an expression may make NaN of numbers.

    >>> x = expression.Input("x")
    >>> may_be_nan(apply("mul", x, 2.0)), may_be_nan(apply("div", x, x))
    (False, True)
    """
    return _found(expr, {})


def _found(expr: Expr, known: dict[int, bool]) -> bool:
    if not isinstance(expr, Apply) or expr.op in _TRUTHS:
        return False
    if id(expr) not in known:
        by_number = isinstance(expr.args[-1], Number) and expr.args[-1].value != 0
        makes = expr.op in _MAKE_NAN or (expr.op == "div" and not by_number)
        parts = expr.args[1:] if expr.op == "where" else expr.args
        known[id(expr)] = makes or any(_found(part, known) for part in parts)
    return known[id(expr)]
