"""Unary operations that take numbers, under ttnn's names and signatures."""

from __future__ import annotations

import math
from collections.abc import Callable

from tilesmith.ops.elementwise import reference
from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.elementwise.unary import apply
from tilesmith.ops.framework import register, registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet

LARGEST = 3.3895313892515355e38  # of bfloat16: no limit


def _one(name: str, argument: str) -> Callable[..., Tensor]:
    """A function of one required number."""

    def function(
        input_tensor: Tensor,
        value: float,
        *,
        memory_config: MemoryConfig | None = None,
        output_tensor: Tensor | None = None,
        sub_core_grids: CoreRangeSet | None = None,
    ) -> Tensor:
        return apply(name, input_tensor, (value,), memory_config, output_tensor)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of every element; `value` is the {argument}."
    return function


for _name, _argument in (
    ("relu_max", "upper limit"),
    ("relu_min", "lower limit"),
    ("heaviside", "value at 0"),
    ("rpow", "base"),
):
    register(f"ttnn.{_name}", _one(_name, _argument), golden=reference.UNARY[_name])


@registered("ttnn.leaky_relu", golden=reference.UNARY["leaky_relu"])
def leaky_relu(
    input_tensor: Tensor,
    negative_slope: float,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """x, or a share of it where it is negative."""
    return apply("leaky_relu", input_tensor, (negative_slope,), memory_config, output_tensor)


@registered("ttnn.elu", golden=reference.UNARY["elu"])
def elu(
    input_tensor: Tensor,
    *,
    alpha: float = 1.0,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """x, or alpha (e^x - 1) where it is negative."""
    return apply("elu", input_tensor, (alpha,), memory_config, output_tensor)


@registered("ttnn.celu", golden=reference.UNARY["celu"])
def celu(
    input_tensor: Tensor,
    *,
    alpha: float = 1.0,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """x, or alpha (e^(x / alpha) - 1) where it is negative."""
    return apply("celu", input_tensor, (alpha, 1 / alpha), memory_config, output_tensor)


@registered("ttnn.selu", golden=lambda x, **_: reference.UNARY["selu"](x))
def selu(
    input_tensor: Tensor,
    *,
    scale: float = 1.0506999492645264,
    alpha: float = 1.673259973526001,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """elu, scaled so that layers keep mean and variance."""
    return apply("selu", input_tensor, (scale, alpha), memory_config, output_tensor)


@registered("ttnn.softplus", golden=reference.UNARY["softplus"])
def softplus(
    input_tensor: Tensor,
    *,
    beta: float = 1.0,
    threshold: float = 20.0,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """ln(1 + e^(beta x)) / beta, and x itself where beta x is above the threshold."""
    parameters = (beta, 1 / beta, threshold)
    return apply("softplus", input_tensor, parameters, memory_config, output_tensor)


@registered("ttnn.hardtanh", golden=reference.UNARY["hardtanh"])
def hardtanh(
    input_tensor: Tensor,
    *,
    min_val: float = -1.0,
    max_val: float = 1.0,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """x between two limits."""
    return apply("hardtanh", input_tensor, (min_val, max_val), memory_config, output_tensor)


def _shrink(name: str) -> Callable[..., Tensor]:
    def function(
        input_tensor: Tensor,
        *,
        lambd: float = 0.5,
        memory_config: MemoryConfig | None = None,
        output_tensor: Tensor | None = None,
        sub_core_grids: CoreRangeSet | None = None,
    ) -> Tensor:
        return apply(name, input_tensor, (lambd,), memory_config, output_tensor)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}: small values become 0."
    return function


for _name in ("hardshrink", "softshrink"):
    register(f"ttnn.{_name}", _shrink(_name), golden=reference.UNARY[_name])


@registered("ttnn.threshold", golden=reference.UNARY["threshold"])
def threshold(
    input_tensor: Tensor,
    threshold: float,
    value: float,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """x where it is above the threshold, else the value."""
    return apply("threshold", input_tensor, (threshold, value), memory_config, output_tensor)


@registered("ttnn.softcap", golden=reference.UNARY["softcap"])
def softcap(
    input_tensor: Tensor,
    beta: float,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """beta tanh(x / beta)."""
    return apply("softcap", input_tensor, (beta, 1 / beta), memory_config, output_tensor)


@registered("ttnn.round", golden=reference.UNARY["round"])
def round_(
    input_tensor: Tensor,
    *,
    decimals: int | None = 0,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """To the nearest with so many decimals, ties to even."""
    return apply("round", input_tensor, (decimals or 0,), memory_config, output_tensor)


def _scaled(name: str, factor: float) -> Callable[..., Tensor]:
    def function(
        input_tensor: Tensor,
        *,
        memory_config: MemoryConfig | None = None,
        output_tensor: Tensor | None = None,
        sub_core_grids: CoreRangeSet | None = None,
    ) -> Tensor:
        return apply("scale", input_tensor, (factor,), memory_config, output_tensor)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of every element."
    return function


register("ttnn.deg2rad", _scaled("deg2rad", math.pi / 180), golden=reference.UNARY["deg2rad"])
register("ttnn.rad2deg", _scaled("rad2deg", 180 / math.pi), golden=reference.UNARY["rad2deg"])


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
    from tilesmith.ops.checks import fatal

    fatal(
        min is not None or max is not None, "Only one of 'min' or 'max' can be None. Please provide one value"
    )
    if not isinstance(min, Tensor) and not isinstance(max, Tensor):
        low, high = (-LARGEST if min is None else min), (LARGEST if max is None else max)
        return apply("clamp", input_tensor, (low, high), memory_config, output_tensor)
    above = input_tensor if min is None else elementwise("maximum", [input_tensor, min])
    if max is None:
        return elementwise(
            "maximum", [input_tensor, min or 0], memory_config=memory_config, output_tensor=output_tensor
        )
    return elementwise("minimum", [above, max], memory_config=memory_config, output_tensor=output_tensor)


register("ttnn.clip", clamp, golden=reference.UNARY["clip"])
