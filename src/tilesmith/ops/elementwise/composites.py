"""Operations of three operands, and those made of others: addcmul, lerp, isclose, outer, gated ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilesmith.errors import OperationError
from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.activation import Activation
from tilesmith.ops.elementwise.api import Operand, elementwise
from tilesmith.ops.elementwise.binary import where
from tilesmith.ops.elementwise.unary import typecast
from tilesmith.ops.framework import register, registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.memory import copy, moved
from tilesmith.ops.rearrange.shapes import reshape
from tilesmith.ops.rearrange.slicing import slice_
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet


def _scaled(value: float) -> list[Activation]:
    return [] if value == 1 else [Activation("scale", value)]


def _with_value(name: str, golden: Callable[..., Any]) -> None:
    def function(
        input_a: Tensor,
        input_b: Operand,
        input_c: Operand,
        *,
        value: float = 1.0,
        memory_config: MemoryConfig | None = None,
        output_tensor: Tensor | None = None,
    ) -> Tensor:
        real = not input_a.dtype.is_integer
        fatal(
            real or value == int(value),
            f"tilesmith: {name} of integers takes a whole value, got {value}",
        )
        b = input_b
        if not real and value != 1:
            b = elementwise("mul", [input_b, int(value)])
        return elementwise(
            name,
            [input_a, b, input_c],
            before=[[], _scaled(value) if real else [], []],
            memory_config=memory_config,
            output_tensor=output_tensor,
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}: the first, plus `value` times what is made of the other two."
    register(f"ttnn.{name}", function, golden=golden)


_with_value("addcmul", lambda a, b, c, *, value=1.0, **_: a.addcmul(b, c, value=value))
_with_value("addcdiv", lambda a, b, c, *, value=1.0, **_: a.addcdiv(b, c, value=value))


def _with_alpha(name: str, combine: str, golden: Callable[..., Any]) -> None:
    def function(
        input_tensor_a: Tensor,
        input_tensor_b: Tensor,
        alpha: float,
        *,
        memory_config: MemoryConfig | None = None,
        output_tensor: Tensor | None = None,
    ) -> Tensor:
        return elementwise(
            combine,
            [input_tensor_a, input_tensor_b],
            before=[[], _scaled(alpha)],
            memory_config=memory_config,
            output_tensor=output_tensor,
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{combine} of the first and alpha times the second."
    register(f"ttnn.{name}", function, golden=golden)


_with_alpha("addalpha", "add", lambda a, b, alpha, **_: a.add(b, alpha=alpha))
_with_alpha("subalpha", "sub", lambda a, b, alpha, **_: a.sub(b, alpha=alpha))


@registered("ttnn.lerp", golden=lambda a, b, weight, **_: a.lerp(b, weight))
def lerp(
    input: Tensor,
    end: Tensor,
    weight: Operand,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """Between two tensors: input + weight (end - input)."""
    return elementwise("lerp", [input, end, weight], memory_config=memory_config, output_tensor=output_tensor)


def _mac(a: Any, b: Any, c: Any, **_: Any) -> Any:
    """Rounded once."""
    real = [one.float() if hasattr(one, "float") else one for one in (a, b, c)]
    return (real[0] * real[1] + real[2]).to(a.dtype)


@registered("ttnn.mac", golden=_mac)
def mac(
    input_tensor_a: Tensor,
    input_tensor_b: Operand,
    input_tensor_c: Operand,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: CoreRangeSet | None = None,
) -> Tensor:
    """a b + c."""
    return elementwise(
        "mac",
        [input_tensor_a, input_tensor_b, input_tensor_c],
        memory_config=memory_config,
        output_tensor=output_tensor,
    )


def _prelu(x: Any, weight: Any, **_: Any) -> Any:
    """Shares by channel, or one; a list of them too."""
    import torch

    share = weight if isinstance(weight, torch.Tensor) else torch.as_tensor(weight, dtype=x.dtype)
    return torch.nn.functional.prelu(x, share)


@registered("ttnn.prelu", golden=_prelu)
def prelu(
    input_tensor_a: Tensor,
    input_tensor_b: Operand | Sequence[float],
    *,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """x, or a share of it where it is negative; the share is a number, or a tensor (by channel)."""
    share = input_tensor_b
    if isinstance(share, Sequence):
        fatal(len(share) == 1, "tilesmith: prelu takes one number, or a tensor with one for each channel")
        share = float(share[0])
    if not isinstance(share, Tensor):
        return elementwise(
            "", [input_tensor_a], after=[Activation("leaky_relu", share)], memory_config=memory_config
        )
    shape = input_tensor_a.spec.shape
    if len(share.spec.shape) == 1 and len(shape) > 2:
        share = reshape(share, [share.spec.shape[0] if axis == 1 else 1 for axis in range(len(shape))])
    product = elementwise("mul", [input_tensor_a, share])
    negative = elementwise("", [input_tensor_a], after=[Activation("ltz")])
    return where(negative, product, input_tensor_a, memory_config=memory_config)


@registered("ttnn.isclose", golden=lambda a, b, **options: a.isclose(b, **_tolerances(options)))
def isclose(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """1 where |a - b| <= atol + rtol |b|, or a and b are the same; else 0."""
    own = input_tensor_a.dtype
    a, b = (typecast(one, DataType.FLOAT32) for one in (input_tensor_a, input_tensor_b))
    distance = elementwise("sub", [a, b], after=["abs"])
    allowed = elementwise("", [b], after=["abs", *_scaled(rtol), Activation("shift", atol)])
    finite = elementwise("", [b], after=["isfinite"])
    near = elementwise("mul", [elementwise("le", [distance, allowed]), finite])
    same = elementwise("eq", [a, b])
    close = elementwise("maximum", [near, same])
    nan_a, nan_b = (_is_nan(one) for one in (input_tensor_a, input_tensor_b))
    either = elementwise("maximum", [nan_a, nan_b])
    close = elementwise("mul", [close, elementwise("", [either], after=["eqz"])])
    if equal_nan:
        close = elementwise("maximum", [close, elementwise("mul", [nan_a, nan_b])])
    return typecast(close, own, memory_config=memory_config)


def _is_nan(given: Tensor) -> Tensor:
    """Asked of what is given: a NaN of bfloat16 is infinity once it is cast."""
    whole = given.dtype not in (DataType.BFLOAT16, DataType.FLOAT32)
    return elementwise("", [typecast(given, DataType.FLOAT32) if whole else given], after=["isnan"])


def _tolerances(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("rtol", "atol", "equal_nan") if name in options}


@registered("ttnn.outer", golden=lambda a, b, **_: a.unsqueeze(-1) * b.unsqueeze(-2))
def outer(
    input_tensor_a: Tensor, input_tensor_b: Tensor, *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """Every element of one vector times every element of another, along the last axes; others broadcast."""
    left, right = input_tensor_a.spec.shape, input_tensor_b.spec.shape
    fatal(
        bool(left and right),
        f"ttnn.outer: inputs must be at least 1D, but got shapes {list(left)} and {list(right)}",
    )
    names = (input_tensor_a.dtype.name, input_tensor_b.dtype.name)
    fatal(
        names[0] == names[1],
        f"ttnn.outer: inputs must have the same dtype, but got DataType::{names[0]} and DataType::{names[1]}",
    )
    column, row = reshape(input_tensor_a, (*left, 1)), reshape(input_tensor_b, (*right[:-1], 1, right[-1]))
    return elementwise("mul", [column, row], memory_config=memory_config)


@registered("ttnn.fill", golden=lambda x, value, **_: x.new_full(x.shape, value))
def fill(
    input_tensor: Tensor,
    fill_value: float,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """A tensor like another, full of a number."""
    from tilesmith.ops.creation.api import full_like

    return full_like(input_tensor, fill_value, memory_config=memory_config, optional_tensor=output_tensor)


@registered("ttnn.assign", golden=lambda x, *_, **__: x)
def assign(
    input_a: Tensor,
    input_b: Tensor | None = None,
    *,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """A copy in other memory or of another type; or the elements put into a second tensor."""
    if input_b is not None:
        return copy(input_a, input_b)
    return moved(input_a, memory_config or input_a.memory_config(), dtype, output_tensor)


def _gated(name: str, activation: str) -> None:
    def function(input_tensor: Tensor, dim: int = -1, *, memory_config: MemoryConfig | None = None) -> Tensor:
        shape = input_tensor.spec.shape
        fatal(dim in (-1, len(shape) - 1), "Only last dim supported (dim: -1 or 3)")
        fatal(
            shape[-1] % 64 == 0,
            "Split tensor along last dim into two halves of whole tiles: last dim must be a multiple of 64",
        )
        half = shape[-1] // 2
        starts, ends = [0] * len(shape), list(shape)
        starts[-1], ends[-1] = half, half
        first = slice_(input_tensor, [0] * len(shape), ends)
        second = slice_(input_tensor, starts, list(shape))
        return elementwise("mul", [first, second], before=[[], [activation]], memory_config=memory_config)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The first half of the last axis times {activation} of the second."
    register(f"ttnn.{name}", function, golden=_gated_golden(activation))


def _gated_golden(activation: str) -> Callable[..., Any]:
    from tilesmith.ops.elementwise.reference import UNARY

    def golden(tensor: Any, dim: int = -1, **_: Any) -> Any:
        first, second = tensor.chunk(2, dim)
        return first * UNARY[activation](second)

    return golden


for _name, _activation in (("glu", "sigmoid"), ("reglu", "relu"), ("geglu", "gelu"), ("swiglu", "silu")):
    _gated(_name, _activation)


@registered("ttnn.unary_chain")
def unary_chain(
    input_tensor: Tensor, ops_chain: Sequence[Activation], *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """Unary operations one after another, in one program."""
    fatal(len(ops_chain) > 0, "Op chain cannot be empty")
    return elementwise("", [input_tensor], after=ops_chain, memory_config=memory_config)


@registered(
    "ttnn.polyval",
    golden=lambda x, coeffs, **_: sum(c * x ** (len(coeffs) - 1 - i) for i, c in enumerate(coeffs)),
)
def polyval(
    input_tensor: Tensor, coeffs: Sequence[float], *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """A polynomial, its highest coefficient first, by Horner's rule in float32."""
    fatal(len(coeffs) > 0, "coeffs should be 1 or more coefficients")
    if input_tensor.dtype.is_integer:
        raise OperationError(
            "tilesmith: polyval works on real numbers; convert the tensor with ttnn.typecast"
        )
    x = typecast(input_tensor, DataType.FLOAT32)
    result = elementwise("mul", [x, 0.0])
    for coefficient in coeffs:
        result = elementwise("mac", [result, x, float(coefficient)])
    return typecast(result, input_tensor.dtype, memory_config=memory_config)


@registered("ttnn.bias_gelu", golden=lambda a, b, **_: _gelu(a + b))
def bias_gelu(input_tensor_a: Tensor, input_tensor_b: Operand, **options: Any) -> Tensor:
    """gelu of the sum; options as of ttnn.add."""
    from tilesmith.ops.framework.registry import call

    result: Tensor = call("ttnn.add", input_tensor_a, input_tensor_b, activations=["gelu"], **options)
    return result


def _gelu(x: Any) -> Any:
    import torch

    return torch.nn.functional.gelu(x)
