"""Writing kernels whose number of tensors is not known beforehand, in TileLang's own language.

TileLang reads a kernel's parameters from the signature of a function. Templates have as many tensors as their
epilogue asks for, so they declare them here, and write their body as a macro.
"""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf, nan
from typing import Any

import tilelang.language as T  # noqa: N812 - the name TileLang's users know
from tilelang.language.eager.builder import Builder
from tvm.script.ir_builder import IRBuilder

from tilesmith.kernels.expression import COMPARISONS, Apply, Expr, Input

TILE = 32
REACHES_OUT = "template_reaches_out"
"""In the attributes of a template: what it reads before the first row is zero, not counted from the end."""


def prim_func(
    name: str,
    tensors: Mapping[str, tuple[Sequence[Any], str]],
    scalars: Sequence[Any],
    body: Callable[[Mapping[str, Any]], None],
) -> Any:
    """A prim_func with these tensors (shape, type) and numbers; `body` is a macro that gets the tensors."""
    builder = Builder()
    with builder.prim_func(name):
        args = {
            key: builder.arg(key, T.Tensor(tuple(shape), dtype)) for key, (shape, dtype) in tensors.items()
        }
        for scalar in (one for one in scalars if not isinstance(one, int)):
            builder.arg(str(scalar.name), scalar)
        body(args)
    return builder.get().with_attr(REACHES_OUT, 1)


def named(name: str, buffer: Any) -> Any:
    """Name a buffer that no assignment names."""
    IRBuilder.name(name, buffer)
    return buffer


_sizes: ContextVar[Mapping[str, int] | None] = ContextVar("sizes of kernels", default=None)


@contextmanager
def fixed_sizes(sizes: Mapping[str, int]) -> Iterator[None]:
    """Kernels written in this block have these sizes, and do not take them with the call."""
    token = _sizes.set(sizes)
    try:
        yield
    finally:
        _sizes.reset(token)


_on_gpu: ContextVar[bool] = ContextVar("kernels for a GPU", default=False)


@contextmanager
def for_gpu() -> Iterator[None]:
    """Kernels written in this block read operands where they lie, and start at any row."""
    token = _on_gpu.set(True)
    try:
        yield
    finally:
        _on_gpu.reset(token)


def on_gpu() -> bool:
    return _on_gpu.get()


def symbols(*names: str) -> list[Any]:
    """Sizes that come with the call, or that are fixed."""
    known = _sizes.get() or {}
    return [known[name] if name in known else T.dynamic(name) for name in names]


def emit(expr: Expr, values: Mapping[str, Any]) -> Any:
    """The expression in TileLang, reading the values given for its inputs."""
    if isinstance(expr, Input):
        return values[expr.name]
    if isinstance(expr, Apply):
        return _emit_apply(expr, values)
    return T.float32(expr.value)


def _emit_apply(expr: Apply, values: Mapping[str, Any]) -> Any:
    if expr.op == "where":
        condition, chosen, other = expr.args
        return T.if_then_else(_condition(condition, values), _real(chosen, values), _real(other, values))
    if expr.op in (*COMPARISONS, "and", "or", "not"):
        return T.if_then_else(_condition(expr, values), T.float32(1), T.float32(0))
    functions = _WITH_NAN if on_gpu() else _FUNCTIONS
    return functions[expr.op](*(_real(arg, values) for arg in expr.args))


def _real(expr: Expr, values: Mapping[str, Any]) -> Any:
    value = emit(expr, values)
    return value if str(value.dtype) == "float32" else value.astype("float32")


def _condition(expr: Expr, values: Mapping[str, Any]) -> Any:
    """The expression as a condition, without a detour through numbers where it is one."""
    if isinstance(expr, Apply) and expr.op in COMPARISONS:
        return _COMPARE[expr.op](*(_real(arg, values) for arg in expr.args))
    if isinstance(expr, Apply) and expr.op == "and":
        return _condition(expr.args[0], values) & _condition(expr.args[1], values)
    if isinstance(expr, Apply) and expr.op == "or":
        return _condition(expr.args[0], values) | _condition(expr.args[1], values)
    if isinstance(expr, Apply) and expr.op == "not":
        return _real(expr.args[0], values) == T.float32(0)
    return _real(expr, values) != T.float32(0)


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}

_PLAIN = (
    *(
        "exp",
        "exp2",
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "rsqrt",
        "tanh",
        "sigmoid",
        "erf",
        "sin",
        "cos",
    ),
    *("tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "abs", "floor", "ceil"),
    *("trunc", "round", "pow", "max", "min"),
)


def _gelu_tanh(x: Any) -> Any:
    return 0.5 * x * (1.0 + T.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(T, name) for name in _PLAIN},
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: T.float32(0) - a,
    "recip": lambda a: T.float32(1) / a,
    "expm1": lambda a: T.exp(a) - T.float32(1),
    "erfc": lambda a: T.float32(1) - T.erf(a),
    "relu": lambda a: T.max(a, T.float32(0)),
    "gelu": lambda a: 0.5 * a * (1.0 + T.erf(a * 0.7071067811865476)),
    "gelu_tanh": _gelu_tanh,
    "silu": lambda a: a * T.sigmoid(a),
    "sign": lambda a: T.if_then_else(
        a > T.float32(0), T.float32(1), T.if_then_else(a < T.float32(0), T.float32(-1), T.float32(0))
    ),
    "isnan": lambda a: T.if_then_else(T.isnan(a), T.float32(1), T.float32(0)),
    "half": lambda a: a.astype("float16").astype("float32"),
    "softplus": lambda a: T.max(a, T.float32(0)) + T.log1p(T.exp(T.float32(0) - T.abs(a))),
}


# ---- NaN, as torch has it ----


def larger(a: Any, b: Any) -> Any:
    """The larger of two numbers; on a GPU, whose own instruction drops NaN, NaN if one of them is."""
    return _with_nan_of(T.max(a, b), a, b) if on_gpu() else T.max(a, b)


def smaller(a: Any, b: Any) -> Any:
    return _with_nan_of(T.min(a, b), a, b) if on_gpu() else T.min(a, b)


def _with_nan_of(value: Any, *sources: Any) -> Any:
    """A value plus what is zero for numbers and infinities and NaN for NaN.

    Loads and stores of whole vectors stay such with these functions; with a condition they would not.
    """
    for source in sources:
        if _number(source) is None:
            value = value + T.floor(T.exp2(T.float32(0) - T.abs(source)) * T.float32(0.5))
    return value


def _number(value: Any) -> float | None:
    """The value of a constant."""
    found = getattr(value, "value", None)
    return float(found) if isinstance(found, int | float) else None


def _product(a: Any, b: Any) -> Any:
    """TVM takes zero times anything for zero; of infinity and NaN it is NaN."""
    if _number(a) == 0:
        a, b = b, a
    if _number(b) != 0 or _number(a) is not None:
        return a * b
    return T.Select(T.abs(a) < T.float32(inf), T.float32(0), T.float32(nan))


def _quotient(a: Any, b: Any) -> Any:
    if _number(a) != 0 or _number(b) is not None:
        return a / b
    return T.Select(T.abs(b) > T.float32(0), T.float32(0), T.float32(nan))


_WITH_NAN: dict[str, Callable[..., Any]] = {
    **_FUNCTIONS,
    "max": larger,
    "min": smaller,
    "relu": lambda a: larger(a, T.float32(0)),
    "mul": _product,
    "div": _quotient,
}
