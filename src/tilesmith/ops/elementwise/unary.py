"""The unary operations under ttnn's names and signatures."""

from __future__ import annotations

from collections.abc import Callable

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise import reference
from tilesmith.ops.elementwise.activation import Activation
from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.framework import register, registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet

_PLAIN = (
    "abs acos acosh asin asinh atan atanh bitwise_not cbrt ceil cos cosh digamma eqz erfc erfinv"
    " exp2 expm1 floor frac gez gtz hardmish hardsigmoid hardswish i0 i1 identity isfinite isinf"
    " isnan isneginf isposinf lez log_sigmoid logical_not ltz neg nez reciprocal relu relu6 sign"
    " signbit silu sin sinh softsign square tan tanhshrink trunc swish"
)
_FAST = "sqrt rsqrt log log2 log10 log1p erf mish exp tanh"


def apply(
    name: str,
    tensor: Tensor,
    parameters: tuple[float, ...] = (),
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """One unary step on a tensor."""
    return elementwise(
        "",
        [tensor],
        after=[Activation(name, *parameters)],
        memory_config=memory_config,
        output_tensor=output_tensor,
    )


def _plain(name: str) -> Callable[..., Tensor]:
    def function(
        input_tensor: Tensor,
        *,
        memory_config: MemoryConfig | None = None,
        output_tensor: Tensor | None = None,
        sub_core_grids: CoreRangeSet | None = None,
    ) -> Tensor:
        return apply(name, input_tensor, (), memory_config, output_tensor)

    return _described(function, name)


def _fast(name: str) -> Callable[..., Tensor]:
    def function(
        input_tensor: Tensor,
        *,
        fast_and_approximate_mode: bool = False,
        memory_config: MemoryConfig | None = None,
        output_tensor: Tensor | None = None,
        sub_core_grids: CoreRangeSet | None = None,
    ) -> Tensor:
        return apply(name, input_tensor, (), memory_config, output_tensor)

    return _described(function, name)


def _described(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of every element."
    return function


for _name in _PLAIN.split():
    register(f"ttnn.{_name}", _plain(_name), golden=reference.UNARY[_name])
for _name in _FAST.split():
    register(f"ttnn.{_name}", _fast(_name), golden=reference.UNARY[_name])


@registered("ttnn.gelu", golden=reference.UNARY["gelu"])
def gelu(
    input_tensor: Tensor,
    *,
    fast_and_approximate_mode: bool = False,
    variant: object = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """x times the normal distribution's share below x."""
    name = "gelu_fast" if fast_and_approximate_mode else "gelu"
    return apply(name, input_tensor, (), memory_config, output_tensor)


@registered("ttnn.sigmoid", golden=reference.UNARY["sigmoid"])
def sigmoid(
    input_tensor: Tensor,
    *,
    vector_mode: int = 4,
    mode: object = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """1 / (1 + e^-x)."""
    return apply("sigmoid", input_tensor, (), memory_config, output_tensor)


@registered("ttnn.sigmoid_accurate", golden=reference.UNARY["sigmoid_accurate"])
def sigmoid_accurate(
    input_tensor: Tensor,
    fast_and_approximate_mode: bool = False,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """1 / (1 + e^-x)."""
    return apply("sigmoid", input_tensor, (), memory_config, output_tensor)


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
    return elementwise(
        "", [input_tensor], dtype=target, memory_config=memory_config, output_tensor=output_tensor
    )
