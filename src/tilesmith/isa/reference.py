"""What every function on tiles means, as numpy has it: of the tiles it reads, then of its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Reference = Callable[..., Array]


def _each(function: Callable[[float], float]) -> Reference:
    return np.vectorize(function, otypes=[np.float64])


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _elu(x: Array, alpha: float) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def _softplus(x: Array, beta: float = 1.0, _reciprocal: float = 1.0, threshold: float = 20.0) -> Array:
    return np.where(beta * x > threshold, x, np.log1p(np.exp(np.minimum(beta * x, threshold))) / beta)


def _digamma(x: float) -> float:
    """By recurrence up to where the asymptotic series holds."""
    total = 0.0
    while x < 10:
        total, x = total - 1 / x, x + 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return total + math.log(x) - 1 / (2 * x) - series


def _erfinv(x: float) -> float:
    """Newton's method, from Winitzki's approximation."""
    if abs(x) >= 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    log = math.log(1 - x * x)
    first = 2 / (math.pi * 0.147) + log / 2
    y = math.copysign(math.sqrt(math.sqrt(first * first - log / 0.147) - first), x)
    for _ in range(4):
        y -= (math.erf(y) - x) / (2 / math.sqrt(math.pi) * math.exp(-y * y))
    return y


def _i1(x: float) -> float:
    term = total = x / 2
    for k in range(1, 60):
        term *= x * x / 4 / (k * (k + 1))
        total += term
    return total


def _round(x: Array, decimals: int = 0) -> Array:
    return np.round(x, int(decimals))


def _where(condition: Array, a: Any, b: Any) -> Array:
    return np.asarray(np.where(condition != 0, a, b))


def _xlogy(x: Array, y: Array) -> Array:
    return np.where(x == 0, 0.0, x * np.log(np.where(x == 0, 1.0, y)))


def _truncated(a: Array, b: Array) -> Array:
    return np.trunc(a / b)


_COMPARED: dict[str, Reference] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_UNARY: dict[str, Reference] = {
    **{name: getattr(np, name) for name in ("abs", "cbrt", "ceil", "cos", "cosh", "exp", "exp2", "expm1")},
    **{name: getattr(np, name) for name in ("floor", "i0", "isfinite", "isinf", "isnan", "log", "log1p")},
    **{name: getattr(np, name) for name in ("negative", "sign", "signbit", "sin", "sinh", "sqrt", "square")},
    **{name: getattr(np, name) for name in ("tan", "tanh", "trunc", "isneginf", "isposinf")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
    **{f"{name}z": lambda x, compared=compared: compared(x, 0) for name, compared in _COMPARED.items()},
    "bitwise_not": np.invert,
    "digamma": _each(_digamma),
    "erf": _each(math.erf),
    "erfc": _each(math.erfc),
    "erfinv": _each(_erfinv),
    "exact_recip": np.reciprocal,
    "frac": lambda x: x - np.trunc(x),
    "gelu": lambda x: x * (1 + _each(math.erf)(x / math.sqrt(2))) / 2,
    "hardmish": lambda x: x * np.clip(x / 2 + 1, 0, 1),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "i1": _each(_i1),
    "identity": np.array,
    "logical_not": lambda x: x == 0,
    "mish": lambda x: x * np.tanh(_softplus(x)),
    "relu": lambda x: np.maximum(x, 0),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tanhshrink": lambda x: x - np.tanh(x),
    "typecast": np.array,
}
_WITH_PARAMETERS: dict[str, Reference] = {
    **{f"unary_{name}": compared for name, compared in _COMPARED.items()},
    "add_unary": np.add,
    "bitwise_and": np.bitwise_and,
    "celu": lambda x, alpha, _reciprocal: np.maximum(x, 0) + np.minimum(alpha * np.expm1(x / alpha), 0),
    "clamp": np.clip,
    "elu": _elu,
    "fill": lambda x, value: np.full_like(x, value),
    "hardshrink": lambda x, limit: np.where(np.abs(x) > limit, x, 0),
    "hardtanh": np.clip,
    "heaviside": np.heaviside,
    "leaky_relu": lambda x, slope: np.where(x > 0, x, slope * x),
    "left_shift": np.left_shift,
    "log_with_base": lambda x, scale: np.log(x) * scale,
    "mul_unary": np.multiply,
    "power": np.power,
    "prelu": lambda x, slope: np.where(x > 0, x, slope * x),
    "rdiv": lambda x, value: value / x,
    "relu_max": lambda x, limit: np.clip(x, 0, limit),
    "relu_min": np.maximum,
    "right_shift": np.right_shift,
    "round": _round,
    "rpow": lambda x, base: np.power(base, x),
    "rsub_unary": lambda x, value: value - x,
    "selu": lambda x, scale, alpha: scale * _elu(x, alpha),
    "softplus": _softplus,
    "softshrink": lambda x, limit: np.sign(x) * np.maximum(np.abs(x) - limit, 0),
    "sub_unary": np.subtract,
    "threshold": lambda x, limit, value: _where(x > limit, x, value),
    "unary_max": np.maximum,
    "unary_min": np.minimum,
}
_BINARY: dict[str, Reference] = {
    **{f"{name}_binary": compared for name, compared in _COMPARED.items()},
    **{f"{name}_int": compared for name, compared in _COMPARED.items()},
    **dict.fromkeys(("add_int", "add_binary"), np.add),
    **dict.fromkeys(("mul_int", "mul_binary"), np.multiply),
    **dict.fromkeys(("sub_int", "sub_binary"), np.subtract),
    **dict.fromkeys(("rsub_int", "rsub_binary"), lambda a, b: b - a),
    **{f"bitwise_{name}_binary": getattr(np, f"bitwise_{name}") for name in ("and", "or", "xor")},
    **dict.fromkeys(("fmod_binary", "fmod"), np.fmod),
    "atan2_binary": np.arctan2,
    "binary_left_shift": np.left_shift,
    "binary_logical_right_shift": lambda a, b: (a.view(np.uint32) >> b.view(np.uint32)).view(a.dtype),
    "binary_max": np.maximum,
    "binary_min": np.minimum,
    "binary_right_shift": np.right_shift,
    "div_binary": np.divide,
    "div_int32_floor": np.floor_divide,
    "div_int32_trunc": _truncated,
    "gcd": np.gcd,
    "lcm": np.lcm,
    "logaddexp_binary": np.logaddexp,
    "logaddexp2_binary": np.logaddexp2,
    "logsigmoid": lambda x, _exp: -_softplus(-x),
    "power_binary": np.power,
    "remainder": np.remainder,
    "xlogy_binary": _xlogy,
}
_OTHERS: dict[str, Reference] = {
    "copy_dest_values": lambda _to, source: np.array(source),
    "cumsum": lambda x: np.cumsum(x, axis=0),
    "sfpu_mul_bcast_row": lambda data, row: data * row[:1],
    "sfpu_reduce": lambda x: x.sum(axis=0),
    "transpose_dest": np.transpose,
    "where": _where,
}
REFERENCES: dict[str, Reference] = {**_UNARY, **_WITH_PARAMETERS, **_BINARY, **_OTHERS}
"""By what is left of a function's name without `_tile` and the type of its elements."""
