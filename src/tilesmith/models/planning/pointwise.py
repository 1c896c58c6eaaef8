"""Which operators of ATen are elementwise, and the expression of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import torch
from torch.fx import Node

import tilesmith.models.custom_ops  # noqa: F401 - importing it registers the operators of tilesmith
from tilesmith.kernels.expression import Expr, Number
from tilesmith.models.planning.nan import apply

aten = torch.ops.aten
Build = Callable[..., Expr]


def _scaled(op: str) -> Build:
    """add and sub take a factor for their second argument."""

    def build(a: Expr, b: Expr, *, alpha: float = 1) -> Expr:
        return apply(op, a, b if alpha == 1 else apply("mul", b, float(alpha)))

    return build


def _plain(op: str) -> Build:
    return lambda *args: apply(op, *args)


def _gelu(x: Expr, *, approximate: str = "none") -> Expr:
    return apply("gelu" if approximate == "none" else "gelu_tanh", x)


def _clamp(x: Expr, low: Expr | None = None, high: Expr | None = None) -> Expr:
    lower = x if low is None else apply("max", x, low)
    return lower if high is None else apply("min", lower, high)


def _power(x: Expr, exponent: Expr) -> Expr:
    known = exponent.value if isinstance(exponent, Number) else None
    if known == 2:
        return apply("mul", x, x)
    if known == 3:
        return apply("mul", apply("mul", x, x), x)
    if known in (0.5, -0.5, -1.0, 1.0):
        return {0.5: apply("sqrt", x), -0.5: apply("rsqrt", x), -1.0: apply("recip", x), 1.0: x}[known]
    return apply("pow", x, exponent)


_ZERO, _ONE, _MINUS_ONE, _SIX, _SLOPE, _TWENTY = map(Number, (0.0, 1.0, -1.0, 6.0, 0.01, 20.0))


def _leaky_relu(x: Expr, slope: Expr = _SLOPE) -> Expr:
    return apply("where", apply("gt", x, 0.0), x, apply("mul", x, slope))


def _elu(x: Expr, alpha: Expr = _ONE, scale: Expr = _ONE, input_scale: Expr = _ONE) -> Expr:
    below = apply("mul", apply("expm1", apply("mul", x, input_scale)), apply("mul", alpha, scale))
    return apply("where", apply("gt", x, 0.0), apply("mul", x, scale), below)


def _div_mode(a: Expr, b: Expr, *, rounding_mode: str | None = None) -> Expr:
    quotient = apply("div", a, b)
    return quotient if rounding_mode is None else apply(rounding_mode, quotient)


def _remainder(a: Expr, b: Expr) -> Expr:
    """What is left of a division that rounds down."""
    return apply("sub", a, apply("mul", apply("floor", apply("div", a, b)), b))


def _rest(a: Expr, b: Expr) -> Expr:
    """What is left of a division that rounds towards zero."""
    return apply("sub", a, apply("mul", apply("trunc", apply("div", a, b)), b))


def _softplus(x: Expr, beta: Expr = _ONE, threshold: Expr = _TWENTY) -> Expr:
    scaled = x if beta == _ONE else apply("mul", x, beta)
    result = apply("softplus", scaled)
    result = result if beta == _ONE else apply("div", result, beta)
    return result if threshold == _TWENTY else apply("where", apply("gt", scaled, threshold), x, result)


def _hard_sigmoid(x: Expr) -> Expr:
    return apply("div", apply("min", apply("max", apply("add", x, 3.0), 0.0), 6.0), 6.0)


def _gelu_backward(grad: Expr, x: Expr, *, approximate: str = "none") -> Expr:
    if approximate == "none":
        normal = apply("mul", apply("exp", apply("mul", apply("mul", x, x), -0.5)), 0.3989422804014327)
        cumulative = apply("mul", apply("add", apply("erf", apply("mul", x, 0.7071067811865476)), 1.0), 0.5)
        return apply("mul", grad, apply("add", cumulative, apply("mul", x, normal)))
    square = apply("mul", x, x)
    inner = apply(
        "mul", apply("mul", x, apply("add", apply("mul", square, 0.044715), 1.0)), 0.7978845608028654
    )
    tanh = apply("tanh", inner)
    slope = apply("mul", apply("add", apply("mul", square, 3 * 0.044715), 1.0), 0.7978845608028654)
    right = apply(
        "mul", apply("mul", x, 0.5), apply("mul", apply("sub", 1.0, apply("mul", tanh, tanh)), slope)
    )
    return apply("mul", grad, apply("add", apply("mul", apply("add", tanh, 1.0), 0.5), right))


def _silu_backward(grad: Expr, x: Expr) -> Expr:
    gate = apply("sigmoid", x)
    return apply("mul", grad, apply("mul", gate, apply("add", 1.0, apply("mul", x, apply("sub", 1.0, gate)))))


def _sigmoid_backward(grad: Expr, y: Expr) -> Expr:
    return apply("mul", grad, apply("mul", y, apply("sub", 1.0, y)))


def _tanh_backward(grad: Expr, y: Expr) -> Expr:
    return apply("mul", grad, apply("sub", 1.0, apply("mul", y, y)))


def _threshold_backward(grad: Expr, x: Expr, threshold: Expr) -> Expr:
    return apply("where", apply("gt", x, threshold), grad, 0.0)


def _same(x: Expr, *_: Any, **__: Any) -> Expr:
    return x


def _both(op: str) -> dict[Any, Build]:
    """The Tensor and Scalar forms of an operator that means the same with either."""
    packet = getattr(aten, op)
    return {getattr(packet, form): _plain(op) for form in ("Tensor", "Scalar") if form in packet.overloads()}


_UNARY = {
    **{
        name: name
        for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "tanh")
    },
    **{
        name: name for name in ("sigmoid", "erf", "erfc", "sin", "cos", "tan", "asin", "acos", "atan", "sinh")
    },
    **{name: name for name in ("cosh", "asinh", "acosh", "atanh", "abs", "floor", "ceil", "trunc", "round")},
    **{name: name for name in ("neg", "relu", "silu", "sign", "isnan")},
    "reciprocal": "recip",
    "logical_not": "not",
    "bitwise_not": "not",
}

POINTWISE: dict[Any, Build] = {
    **{getattr(aten, name).default: _plain(op) for name, op in _UNARY.items()},
    **{
        target: build
        for op in ("mul", "div", "lt", "le", "gt", "ge", "eq", "ne")
        for target, build in _both(op).items()
    },
    aten.add.Tensor: _scaled("add"),
    aten.add.Scalar: _scaled("add"),
    aten.sub.Tensor: _scaled("sub"),
    aten.sub.Scalar: _scaled("sub"),
    aten.rsub.Scalar: lambda a, b, alpha=_ONE: apply("sub", b, apply("mul", a, alpha)),
    aten.div.Tensor_mode: _div_mode,
    aten.floor_divide.default: lambda a, b: apply("floor", apply("div", a, b)),
    aten.remainder.Scalar: _remainder,
    aten.remainder.Tensor: _remainder,
    aten.fmod.Scalar: _rest,
    aten.fmod.Tensor: _rest,
    aten.maximum.default: _plain("max"),
    aten.minimum.default: _plain("min"),
    aten.pow.Tensor_Scalar: _power,
    aten.pow.Tensor_Tensor: _power,
    aten.pow.Scalar: _plain("pow"),
    aten.where.self: _plain("where"),
    aten.where.ScalarSelf: _plain("where"),
    aten.where.ScalarOther: _plain("where"),
    aten.masked_fill.Scalar: lambda x, mask, value: apply("where", mask, value, x),
    aten.masked_fill.Tensor: lambda x, mask, value: apply("where", mask, value, x),
    aten.logical_and.default: _plain("and"),
    aten.logical_or.default: _plain("or"),
    aten.bitwise_and.Tensor: _plain("and"),
    aten.bitwise_or.Tensor: _plain("or"),
    aten.gelu.default: _gelu,
    aten.leaky_relu.default: _leaky_relu,
    aten.elu.default: _elu,
    aten.hardtanh.default: lambda x, low=_MINUS_ONE, high=_ONE: _clamp(x, low, high),
    aten.relu6.default: lambda x: _clamp(x, _ZERO, _SIX),
    aten.hardsigmoid.default: _hard_sigmoid,
    aten.hardswish.default: lambda x: apply("mul", x, _hard_sigmoid(x)),
    aten.softplus.default: _softplus,
    aten.mish.default: lambda x: apply("mul", x, apply("tanh", apply("softplus", x))),
    aten.log_sigmoid_forward.default: lambda x: apply("neg", apply("softplus", apply("neg", x))),
    aten.clamp.default: _clamp,
    aten.clamp.Tensor: _clamp,
    aten.clamp_min.Tensor: _clamp,
    aten.clamp_max.Tensor: lambda x, high: _clamp(x, None, high),
    aten.clamp_min.default: _clamp,
    aten.clamp_max.default: lambda x, high: _clamp(x, None, high),
    aten.square.default: lambda x: apply("mul", x, x),
    aten._to_copy.default: _same,
    aten.clone.default: _same,
    aten.gelu_backward.default: _gelu_backward,
    aten.silu_backward.default: _silu_backward,
    aten.sigmoid_backward.default: _sigmoid_backward,
    aten.tanh_backward.default: _tanh_backward,
    aten.threshold_backward.default: _threshold_backward,
    torch.ops.tilesmith.equality.default: _plain("eq"),
}
"""Operators that work element by element. Each takes expressions, and keywords as ATen spells them."""

# What float16 rounds to infinity.
_BEYOND_HALF = 65520.0
_ROUNDED_BY_CAST = (torch.int64, torch.int32, torch.int16, torch.uint8, torch.int8)


def is_pointwise(node: Node) -> bool:
    """Whether a node works element by element, as an expression can say.

    >>> graph = torch.fx.Graph()
    >>> is_pointwise(graph.call_function(aten.exp.default, (graph.placeholder("x"),)))
    True
    """
    if node.op != "call_function" or node.target not in POINTWISE:
        return False
    if node.target in (aten.bitwise_and.Tensor, aten.bitwise_or.Tensor, aten.bitwise_not.default):
        return bool(node.meta["val"].dtype == torch.bool)
    return True


def expression_of(node: Node, values: Sequence[Expr | None]) -> Expr:
    """The expression of a pointwise node; `values` stand for its positional arguments."""
    keywords = {
        key: value for key, value in node.kwargs.items() if key in ("alpha", "approximate", "rounding_mode")
    }
    result = POINTWISE[node.target](*values, **keywords)
    if node.target is aten._to_copy.default:
        return _cast(result, node.meta["val"].dtype, _dtype_of(node.args[0]))
    return result


def _dtype_of(value: Any) -> torch.dtype | None:
    return value.meta["val"].dtype if isinstance(value, Node) else None


def _cast(value: Expr, to: torch.dtype, source: torch.dtype | None) -> Expr:
    if to == torch.bool and source != torch.bool:
        return apply("ne", value, 0.0)
    if source is None or not source.is_floating_point:
        return value
    if to in _ROUNDED_BY_CAST:
        return apply("trunc", value)
    if to == torch.float16 and source != torch.float16:
        return apply("where", apply("ge", apply("abs", value), _BEYOND_HALF), apply("mul", value, inf), value)
    return value
