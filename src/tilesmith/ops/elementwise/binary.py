"""Binary and ternary operations under ttnn's names and signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise import reference
from tilesmith.ops.elementwise.activation import Activations
from tilesmith.ops.elementwise.api import Operand, elementwise
from tilesmith.ops.elementwise.unary import typecast
from tilesmith.ops.framework import register, registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet

_NAMES = {
    "add": ("add",),
    "sub": ("subtract", "sub"),
    "mul": ("multiply", "mul"),
    "rsub": ("rsub",),
    "pow": ("pow",),
    "eq": ("eq",),
    "ne": ("ne",),
    "lt": ("lt",),
    "gt": ("gt",),
    "le": ("le",),
    "ge": ("ge",),
    "maximum": ("maximum",),
    "minimum": ("minimum",),
    "bitwise_and": ("bitwise_and",),
    "bitwise_or": ("bitwise_or",),
    "bitwise_xor": ("bitwise_xor",),
    "bitwise_left_shift": ("bitwise_left_shift",),
    "bitwise_right_shift": ("bitwise_right_shift",),
    "logical_right_shift": ("logical_right_shift",),
    "logical_left_shift": ("logical_left_shift",),
    "logical_and": ("logical_and",),
    "logical_or": ("logical_or",),
    "logical_xor": ("logical_xor",),
    "atan2": ("atan2",),
    "xlogy": ("xlogy",),
    "logaddexp": ("logaddexp",),
    "logaddexp2": ("logaddexp2",),
    "fmod": ("fmod",),
    "remainder": ("remainder",),
    "gcd": ("gcd",),
    "lcm": ("lcm",),
    "squared_difference": ("squared_difference",),
    "hypot": ("hypot",),
    "ldexp": ("ldexp",),
    "floor_div": ("floor_div",),
    "div_no_nan": ("div_no_nan",),
}
_IN_PLACE = [
    "add",
    "subtract",
    "multiply",
    "sub",
    "mul",
    "eq",
    "ne",
    "lt",
    "gt",
    "le",
    "ge",
    "logical_and",
    "logical_or",
    "logical_xor",
    "rsub",
    "ldexp",
    "logaddexp",
    "logaddexp2",
    "squared_difference",
]


def _binary(combine: str, name: str) -> Callable[..., Tensor]:
    def function(
        input_tensor_a: Operand,
        input_tensor_b: Operand,
        *,
        fast_and_approximate_mode: bool | None = None,
        dtype: DataType | None = None,
        memory_config: MemoryConfig | None = None,
        output_tensor: Tensor | None = None,
        activations: Activations = None,
        input_tensor_a_activations: Activations = None,
        input_tensor_b_activations: Activations = None,
        sub_core_grids: CoreRangeSet | None = None,
        sub_device_id: object = None,
    ) -> Tensor:
        return elementwise(
            combine,
            [input_tensor_a, input_tensor_b],
            dtype=dtype,
            memory_config=memory_config,
            output_tensor=output_tensor,
            before=[input_tensor_a_activations, input_tensor_b_activations],
            after=activations,
            fast=bool(fast_and_approximate_mode),
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of two tensors, or of a tensor and a number, element by element."
    return function


def _in_place(combine: str, name: str) -> Callable[..., Tensor]:
    plain = _binary(combine, name)

    def function(input_tensor_a: Tensor, input_tensor_b: Operand, **options: Any) -> Tensor:
        return plain(input_tensor_a, input_tensor_b, output_tensor=input_tensor_a, **options)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name[:-1]}, written to the first tensor. Options as there."
    return function


for _combine, _names in _NAMES.items():
    for _name in _names:
        register(f"ttnn.{_name}", _binary(_combine, _name), golden=reference.BINARY[_combine])
        if _name in _IN_PLACE:
            register(f"ttnn.{_name}_", _in_place(_combine, f"{_name}_"), golden=reference.BINARY[_combine])


_QUOTIENTS = {
    None: _binary("div", "div"),
    "floor": _binary("floor_div", "div"),
    "trunc": _binary("trunc_div", "div"),
}


@registered("ttnn.div", golden=reference.BINARY["div"])
def div(
    input_tensor_a: Operand, input_tensor_b: Operand, *, rounding_mode: str | None = None, **options: Any
) -> Tensor:
    """The quotient; rounded towards zero ("trunc") or down ("floor") when asked. Options as of ttnn.add."""
    fatal(rounding_mode in _QUOTIENTS, "Incorrect rounding mode (expected None, 'trunc', or 'floor')")
    if rounding_mode is None:
        # A quotient of integers is no integer: it is made, and given, as float32.
        input_tensor_a, input_tensor_b = _as_real(input_tensor_a), _as_real(input_tensor_b)
    return _QUOTIENTS[rounding_mode](input_tensor_a, input_tensor_b, **options)


def _as_real(operand: Operand) -> Operand:
    if isinstance(operand, Tensor) and operand.dtype.is_integer:
        return typecast(operand, DataType.FLOAT32)
    return operand


register("ttnn.divide", div, golden=reference.BINARY["div"])
register("ttnn.div_", _in_place("div", "div_"), golden=reference.BINARY["div"])
register("ttnn.divide_", _in_place("div", "divide_"), golden=reference.BINARY["div"])


@registered("ttnn.where", golden=reference.where)
def where(
    predicate: Tensor,
    true_value: Operand,
    false_value: Operand,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """The second where the first is not zero, else the third."""
    values = (true_value, false_value)
    if predicate.dtype.is_integer and any(isinstance(one, float) for one in values):
        # Real numbers have no place among integers: the condition becomes real.
        others = [one.dtype for one in values if isinstance(one, Tensor)]
        predicate = typecast(predicate, others[0] if others else DataType.FLOAT32)
    chosen = next((one for one in (true_value, false_value) if isinstance(one, Tensor)), predicate)
    return elementwise(
        "where",
        [predicate, true_value, false_value],
        dtype=chosen.dtype,
        memory_config=memory_config,
        output_tensor=output_tensor,
    )


@registered("ttnn.rdiv", golden=reference.UNARY["rdiv"])
def rdiv(
    input_tensor: Tensor,
    value: float,
    *,
    rounding_mode: str | None = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """A number divided by every element."""
    return div(
        value,
        input_tensor,
        rounding_mode=rounding_mode,
        memory_config=memory_config,
        output_tensor=output_tensor,
    )
