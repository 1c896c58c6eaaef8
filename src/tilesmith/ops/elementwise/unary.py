"""The unary operations under ttnn's names and signatures."""

from __future__ import annotations

import math
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise import reference
from tilesmith.ops.elementwise.activation import GeluVariant
from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.elementwise.signatures import UnaryFunction, apply
from tilesmith.ops.framework import register, registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import Layout

_LIMITS = {
    DataType.INT32: (-(2**31), 2**31 - 1),
    DataType.UINT32: (0, 2**32 - 1),
    DataType.UINT16: (0, 2**16 - 1),
    DataType.UINT8: (0, 2**8 - 1),
}
_PLAIN = (
    "abs acos acosh asin asinh atan atanh bitwise_not cbrt ceil cos cosh digamma eqz erfc erfinv exp2"
    " expm1 floor frac gez gtz hardmish hardsigmoid hardswish i0 i1 identity isfinite isinf isnan"
    " isneginf isposinf lez log_sigmoid logical_not ltz neg nez reciprocal relu relu6 sign signbit"
    " silu sin sinh softsign square tan tanhshrink trunc swish"
)
_FAST = ["sqrt", "rsqrt", "log", "log2", "log10", "log1p", "erf", "mish", "exp", "tanh"]


def _none(*_: Any) -> tuple[float, ...]:
    """The arguments choose between ways to the same result."""
    return ()


def _of_degrees(factor: float) -> Any:
    return lambda: (factor,)


_ROWS = (
    *(UnaryFunction(name, f"{name} of every element.") for name in _PLAIN.split()),
    *(
        UnaryFunction(
            name, f"{name} of every element.", optional=(("fast_and_approximate_mode", False),), numbers=_none
        )
        for name in _FAST
    ),
    UnaryFunction("sigmoid", "1 / (1 + e^-x).", optional=(("vector_mode", 4), ("mode", None)), numbers=_none),
    UnaryFunction("leaky_relu", "x, or a share of it where it is negative.", needed=("negative_slope",)),
    UnaryFunction("relu_max", "x between 0 and a limit.", needed=("upper_limit",)),
    UnaryFunction("relu_min", "x, but at least a limit.", needed=("lower_limit",)),
    UnaryFunction("heaviside", "0 or 1 by the sign, and a value at 0.", needed=("value",)),
    UnaryFunction("rpow", "A number to the power of every element.", needed=("exponent",)),
    UnaryFunction("threshold", "x above a threshold, else a value.", needed=("threshold", "value")),
    UnaryFunction("softcap", "beta tanh(x / beta).", needed=("beta",), numbers=lambda beta: (beta, 1 / beta)),
    UnaryFunction("elu", "x, or alpha (e^x - 1) where it is negative.", optional=(("alpha", 1.0),)),
    UnaryFunction(
        "celu",
        "x, or alpha (e^(x / alpha) - 1) where it is negative.",
        optional=(("alpha", 1.0),),
        numbers=lambda alpha: (alpha, 1 / alpha),
    ),
    UnaryFunction(
        "selu",
        "elu, scaled so that layers keep mean and variance.",
        optional=(("scale", 1.0506999492645264), ("alpha", 1.673259973526001)),
    ),
    UnaryFunction(
        "softplus",
        "ln(1 + e^(beta x)) / beta, and x itself where beta x is above the threshold.",
        optional=(("beta", 1.0), ("threshold", 20.0)),
        numbers=lambda beta, threshold: (beta, 1 / beta if beta else math.inf, threshold),
    ),
    UnaryFunction("hardtanh", "x between two limits.", optional=(("min_val", -1.0), ("max_val", 1.0))),
    UnaryFunction("hardshrink", "x, or 0 where it is small.", optional=(("lambd", 0.5),)),
    UnaryFunction("softshrink", "x moved towards 0, and 0 where it is small.", optional=(("lambd", 0.5),)),
    UnaryFunction(
        "round",
        "To the nearest with so many decimals, ties to even.",
        optional=(("decimals", 0),),
        numbers=lambda decimals: (decimals or 0,),
    ),
    UnaryFunction("deg2rad", "Degrees as radians.", step="scale", numbers=_of_degrees(math.pi / 180)),
    UnaryFunction("rad2deg", "Radians as degrees.", step="scale", numbers=_of_degrees(180 / math.pi)),
)
for _row in _ROWS:
    register(f"ttnn.{_row.name}", _row.function(), golden=reference.UNARY[_row.name])


@registered("ttnn.gelu", golden=reference.UNARY["gelu"])
def gelu(
    input_tensor: Tensor,
    *,
    fast_and_approximate_mode: bool = False,
    variant: GeluVariant | None = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """x times the normal distribution's share below x, exactly, by a table, or with tanh."""
    default = GeluVariant.FastLut if fast_and_approximate_mode else GeluVariant.Accurate
    names = {
        GeluVariant.Accurate: "gelu",
        GeluVariant.FastLut: "gelu_fast",
        GeluVariant.Tanh: "gelu_tanh",
    }
    name = names[variant or default]
    return apply(name, input_tensor, (), memory_config, output_tensor)


@registered("ttnn.sigmoid_accurate", golden=reference.UNARY["sigmoid_accurate"])
def sigmoid_accurate(input_tensor: Tensor, fast_and_approximate_mode: bool = False, **options: Any) -> Tensor:
    """1 / (1 + e^-x); options are those of ttnn.sigmoid."""
    return apply("sigmoid", input_tensor, (), options.get("memory_config"), options.get("output_tensor"))


def in_dtype_on_host(tensor: Tensor, dtype: DataType) -> Tensor:
    """A tensor on the host, converted there; block floats exist in tiles only."""
    from tilesmith.ops.rearrange.layout import to_layout

    return to_layout(tensor, Layout.TILE if dtype.is_block_float else tensor.layout, dtype)


@registered("ttnn.typecast", golden=reference.UNARY["typecast"])
def typecast(
    input_tensor: Tensor,
    dtype: DataType,
    output_dtype: DataType | None = None,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """The values in another data type; with three arguments the second says what the tensor has."""
    target = dtype if output_dtype is None else output_dtype
    if output_dtype is not None:
        fatal(input_tensor.dtype is dtype, f"Input tensor dtype {input_tensor.dtype} is not {dtype}")
    if target is input_tensor.dtype and memory_config is None and output_tensor is None:
        return input_tensor
    if input_tensor.on_host is not None:
        return in_dtype_on_host(input_tensor, target)
    return elementwise(
        "", [input_tensor], dtype=target, memory_config=memory_config, output_tensor=output_tensor
    )


@registered("ttnn.to_dtype", golden=lambda tensor, *_, **__: tensor)
def to_dtype(tensor: Tensor, dtype: DataType) -> Tensor:
    """A tensor on the host in another data type."""
    fatal(tensor.on_host is not None, "ttnn.to_dtype: tensor must be on host; use ttnn.typecast on a device")
    return tensor if tensor.dtype is dtype else in_dtype_on_host(tensor, dtype)


@registered("ttnn.clamp", golden=reference.UNARY["clamp"])
def clamp(
    input_tensor: Tensor,
    min: Tensor | float | None = None,
    max: Tensor | float | None = None,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """x between two limits, each a number, a tensor or nothing."""
    fatal(
        min is not None or max is not None,
        "Only one of 'min' or 'max' can be None. Please provide one value",
    )
    if not isinstance(min, Tensor) and not isinstance(max, Tensor):
        least, most = _LIMITS.get(input_tensor.dtype, (-math.inf, math.inf))
        low, high = (least if min is None else min), (most if max is None else max)
        return apply("clamp", input_tensor, (low, high), memory_config, output_tensor)
    limits = [("maximum", min), ("minimum", max)]
    steps = [(combine, limit) for combine, limit in limits if limit is not None]
    result = input_tensor
    for number, (combine, limit) in enumerate(steps, 1):
        last = number == len(steps)
        result = elementwise(
            combine,
            [result, limit],
            memory_config=memory_config if last else None,
            output_tensor=output_tensor if last else None,
        )
    return result


register("ttnn.clip", clamp, golden=reference.UNARY["clip"])
