"""What arith operations and `tile.fn` compute, on numpy scalars and on whole arrays alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import add, floordiv, mul, sub
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
)
from xdsl.ir import Attribute, Operation

from tilesmith.compiler.dialects.elements import held_type, rounded
from tilesmith.compiler.dialects.tile import FnOp

Value = Any
"""A Python int (index), a numpy scalar (f32, i32, i1), or an array of one of these."""

_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def scalar_of(value: Value, result_type: Attribute) -> Value:
    """The value as the scalar type an operation says it has."""
    if isinstance(value, np.ndarray) and value.ndim:
        return value.astype(held_type(result_type))
    if isinstance(result_type, IndexType):
        return int(value)
    return np.asarray(value).astype(held_type(result_type))[()]


def constant(op: arith.ConstantOp) -> Value:
    value = op.value
    assert isinstance(value, IntegerAttr | FloatAttr)
    return scalar_of(value.value.data, op.result.type)


def _divide_to_zero(a: Value, b: Value) -> Value:
    quotient = abs(a) // np.where(b == 0, 1, abs(b)) if isinstance(b, np.ndarray) else abs(a) // abs(b)
    return np.where((a < 0) == (b < 0), quotient, -quotient)[()]


def _remainder(a: Value, b: Value) -> Value:
    return a - b * _divide_to_zero(a, b)


def _unsigned(operate: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    """Indices are never negative; others are seen as unsigned of the same width."""

    def on_bits(a: Value, b: Value) -> Value:
        if isinstance(a, int):
            return operate(a, b)
        unsigned = np.dtype(f"u{np.asarray(a).dtype.name}")
        return operate(np.asarray(a).view(unsigned), np.asarray(b).view(unsigned)).view(unsigned.name[1:])[()]

    return on_bits


_BINARY: dict[type[Operation], Callable[[Value, Value], Value]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.DivSIOp: _divide_to_zero,
    arith.DivUIOp: _unsigned(lambda a, b: a // b),
    arith.RemSIOp: _remainder,
    arith.RemUIOp: _unsigned(lambda a, b: a % b),
    arith.FloorDivSIOp: lambda a, b: a // b,
    arith.CeilDivSIOp: lambda a, b: -(-a // b),
    arith.CeilDivUIOp: _unsigned(lambda a, b: (a + b - 1) // b),
    arith.MinSIOp: np.minimum,
    arith.MaxSIOp: np.maximum,
    arith.MinUIOp: _unsigned(np.minimum),
    arith.MaxUIOp: _unsigned(np.maximum),
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
    arith.XOrIOp: lambda a, b: a ^ b,
    arith.ShLIOp: lambda a, b: a << b,
    arith.ShRSIOp: lambda a, b: a >> b,
    arith.ShRUIOp: _unsigned(lambda a, b: a >> b),
    arith.AddfOp: lambda a, b: a + b,
    arith.SubfOp: lambda a, b: a - b,
    arith.MulfOp: lambda a, b: a * b,
    arith.DivfOp: np.divide,
    arith.MaximumfOp: np.maximum,
    arith.MinimumfOp: np.minimum,
    arith.MaxnumfOp: np.fmax,
    arith.MinnumfOp: np.fmin,
}

_SIGNED = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
_COMPARE_INTEGERS: tuple[Callable[[Value, Value], Value], ...] = (
    *_SIGNED,
    *(lambda a, b, c=c: c(_bits(a), _bits(b)) for c in _SIGNED[2:]),
)


def _bits(value: Value) -> Value:
    return value if isinstance(value, int) else np.asarray(value).view(f"u{np.asarray(value).dtype.name}")


def _either_nan(a: Value, b: Value) -> Value:
    return np.isnan(a) | np.isnan(b)


_ORDERED = (np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal)
# In the order of the predicates of arith.cmpf: false, six ordered, ord, six unordered, uno, true.
_COMPARE_FLOATS: tuple[Callable[[Value, Value], Value], ...] = (
    lambda a, b: np.zeros(np.broadcast(a, b).shape, np.bool_)[()],
    *(lambda a, b, c=c: c(a, b) & ~_either_nan(a, b) for c in _ORDERED),
    lambda a, b: ~_either_nan(a, b),
    *(lambda a, b, c=c: c(a, b) | _either_nan(a, b) for c in _ORDERED),
    _either_nan,
    lambda a, b: np.ones(np.broadcast(a, b).shape, np.bool_)[()],
)

_FUNCTIONS: dict[str, Callable[..., Value]] = {
    **{name: getattr(np, name) for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt")},
    **{name: getattr(np, name) for name in ("tanh", "sin", "cos", "tan", "sinh", "cosh", "floor", "ceil")},
    **{name: getattr(np, name) for name in ("trunc", "abs", "isnan", "isinf", "isfinite", "fmod", "hypot")},
    **{
        name: getattr(np, f"arc{name[1:]}")
        for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2")
    },
    "exp10": lambda x: np.power(np.float32(10), x),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "recip": lambda x: np.divide(np.float32(1), x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "erf": _erf,
    "erfc": _erfc,
    "round": np.rint,
    "half": lambda x: np.asarray(x).astype(np.float16),
    "bfloat16": lambda x: rounded(x, BFloat16Type()),
    "float8_e4m3": lambda x: rounded(x, Float8E4M3FNType()),
    "float8_e5m2": lambda x: rounded(x, Float8E5M2Type()),
    "popcount": lambda x: np.bitwise_count(_bits(x)),
    "pow": np.power,
    "copysign": np.copysign,
}


def _unary(op: Operation, value: Value) -> Value:
    if isinstance(op, arith.NegfOp):
        return -value
    if isinstance(op, arith.BitcastOp):
        return np.asarray(value).view(held_type(op.result.type))[()]
    if isinstance(op, arith.ExtUIOp | arith.UIToFPOp):
        value = value if np.asarray(value).dtype == np.bool_ else _bits(value)
    if isinstance(op, arith.ExtSIOp | arith.SIToFPOp) and np.asarray(value).dtype == np.bool_:
        value = -np.asarray(value).astype(np.int32)
    return value


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


# The arithmetic of indices, which scalar code does for every element: numpy takes ten times as long for it.
_OF_INDICES: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: add,
    arith.SubiOp: sub,
    arith.MuliOp: mul,
    arith.DivSIOp: _truncated,
    arith.RemSIOp: lambda a, b: a - b * _truncated(a, b),
    arith.FloorDivSIOp: floordiv,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
}


def evaluate(op: Operation, operands: list[Value]) -> Value:
    """The result of an arith operation or a `tile.fn`; KeyError for any other."""
    if len(operands) == 2 and type(operands[0]) is int and type(operands[1]) is int:
        of_indices = _OF_INDICES.get(type(op))
        if of_indices is not None:
            return of_indices(operands[0], operands[1])
    if isinstance(op, arith.ConstantOp):
        return constant(op)
    if isinstance(op, arith.CmpiOp):
        return _COMPARE_INTEGERS[op.predicate.value.data](*operands)
    if isinstance(op, arith.CmpfOp):
        return _COMPARE_FLOATS[op.predicate.value.data](*operands)
    if isinstance(op, FnOp):
        value = _FUNCTIONS[op.fn.data](*operands)
    elif isinstance(op, arith.SelectOp):
        value = np.where(*operands)
    elif len(operands) == 1:
        value = _unary(op, operands[0])
    else:
        value = _BINARY[type(op)](*operands)
    return scalar_of(value, op.results[0].type)
