"""What the elementwise operations are in torch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Function = Callable[..., "torch.Tensor"]


def _torch(name: str) -> Function:
    """torch.<name>, or torch.nn.functional.<name>; torch is imported at the first call."""

    def call(*tensors: torch.Tensor, **options: Any) -> torch.Tensor:
        import torch

        function = getattr(torch, name, None) or getattr(torch.nn.functional, name)
        result: torch.Tensor = function(*tensors, **options)
        return result

    return call


def _flag(name: str) -> Function:
    """A comparison, as 1 and 0 of the input's type."""
    return lambda *tensors: _torch(name)(*tensors).to(tensors[0].dtype)


def _against_zero(name: str) -> Function:
    return lambda x: getattr(x, f"__{name}__")(0).to(x.dtype)


def _logical(name: str) -> Function:
    return lambda a, b: _torch(name)(a, b).to(a.dtype)


def _bessel(x: torch.Tensor) -> torch.Tensor:
    import torch

    result: torch.Tensor = torch.special.i1(x)
    return result


def _approximation(variant: Any = None, **_: Any) -> str:
    return "tanh" if getattr(variant, "name", "") == "Tanh" else "none"


_SAME_NAME = (
    "sigmoid silu tanh square sign exp2 expm1 log sin cos tan asin acos atan sinh cosh asinh acosh"
    " atanh erf erfc hardsigmoid softsign erfinv i0 digamma mish log1p tanhshrink sqrt ceil floor"
    " trunc frac abs neg relu exp rsqrt reciprocal log2 log10 relu6 selu hardswish bitwise_not celu"
    " elu hardtanh softplus hardshrink softshrink"
)
_UNARY: dict[str, Function] = {name: _torch(name) for name in _SAME_NAME.split()}
_UNARY |= {
    name: _flag(name)
    for name in ("isinf", "isnan", "isfinite", "isposinf", "isneginf", "signbit", "logical_not")
}
_UNARY |= {f"{name}z": _against_zero(name) for name in ("eq", "ne", "gt", "ge", "lt", "le")}
_UNARY |= {
    "i1": lambda x: _bessel(x),
    "cbrt": lambda x: x.sign() * x.abs() ** (1 / 3),
    "identity": lambda x: x,
    "hardmish": lambda x: x * (x + 2).clamp(0, 2) / 2,
    "gelu": lambda x, **options: _torch("gelu")(x, approximate=_approximation(**options)),
    "gelu_tanh": lambda x: _torch("gelu")(x, approximate="tanh"),
    "log_sigmoid": lambda x: _torch("logsigmoid")(x),
    "swish": _torch("silu"),
    "sigmoid_accurate": lambda x, *_: _torch("sigmoid")(x),
    "leaky_relu": lambda x, negative_slope: _torch("leaky_relu")(x, negative_slope),
    "relu_max": lambda x, limit: x.clamp(0, limit),
    "relu_min": lambda x, limit: x.clamp(min=limit).clamp(min=0),
    "threshold": lambda x, threshold, value: _torch("threshold")(x, threshold, value),
    "heaviside": lambda x, value: _torch("heaviside")(x, x.new_tensor(value)),
    "softcap": lambda x, beta: beta * (x / beta).tanh(),
    "rpow": lambda x, base: base**x,
    "rdiv": lambda x, value, rounding_mode=None, **_: _torch("div")(
        _torch("full_like")(x, value), x, rounding_mode=rounding_mode
    ),
    "round": lambda x, decimals=0: x.round(decimals=decimals),
    "deg2rad": lambda x: x * (math.pi / 180),
    "rad2deg": lambda x: x * (180 / math.pi),
    "clamp": lambda x, *limits, **named: x.clamp(*limits, **named),
    "clip": lambda x, *limits, **named: x.clamp(*limits, **named),
    "typecast": lambda x, *_: x,
}
UNARY: Mapping[str, Function] = MappingProxyType(_UNARY)

_BINARY: dict[str, Function] = {
    name: _torch(name)
    for name in [
        "add",
        "mul",
        "maximum",
        "minimum",
        "atan2",
        "xlogy",
        "logaddexp",
        "logaddexp2",
        "fmod",
        "remainder",
        "gcd",
        "lcm",
        "hypot",
        "pow",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_left_shift",
        "bitwise_right_shift",
    ]
}
_BINARY |= {name: _torch(name) for name in ("eq", "ne", "lt", "gt", "le", "ge")}
_BINARY |= {name: _logical(name) for name in ("logical_and", "logical_or", "logical_xor")}
_BINARY |= {
    "sub": lambda a, b: a - b,
    "rsub": lambda a, b: b - a,
    "div": lambda a, b, rounding_mode=None, **_: _torch("div")(a, b, rounding_mode=rounding_mode),
    "floor_div": lambda a, b: _torch("div")(a, b, rounding_mode="floor"),
    "div_no_nan": lambda a, b: _torch("where")(b == 0, a * 0, a / b),
    "squared_difference": lambda a, b: (a - b) ** 2,
    "ldexp": lambda a, b: a * 2.0**b,
    "logical_left_shift": lambda a, b: _torch("bitwise_left_shift")(a, b),
    "logical_right_shift": lambda a, b: ((a.long() & 0xFFFFFFFF) >> b).to(a.dtype),
}
BINARY: Mapping[str, Function] = MappingProxyType(_BINARY)


def where(predicate: torch.Tensor, true_value: Any, false_value: Any) -> torch.Tensor:
    return _torch("where")(predicate != 0, true_value, false_value)
