"""Operands repeated along axes: bcast and broadcast_to; the examples of composite operations."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from tilesmith.ops.elementwise.api import elementwise
from tilesmith.ops.framework import registered
from tilesmith.ops.framework.registry import call
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.memory import clone, copy
from tilesmith.ops.tensor import Tensor


class BcastOpMath(Enum):
    ADD = "add"
    SUB = "sub"
    MUL = "mul"


class BcastOpDim(Enum):
    H = "h"
    W = "w"
    HW = "hw"


@registered("ttnn.bcast")
def bcast(
    input_a: Tensor,
    input_b: Tensor,
    math_op: BcastOpMath,
    dim: BcastOpDim,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """A tensor with a row (H), a column (W) or one number (HW); on the device."""
    height, width = (1, 1, *input_b.spec.shape)[-2:]
    fits = {BcastOpDim.H: height == 1, BcastOpDim.W: width == 1, BcastOpDim.HW: height == width == 1}[dim]
    if not fits:  # the first row, column or element of the second is meant
        ends = list(input_b.spec.shape)
        if dim is not BcastOpDim.W:
            ends[-2] = 1
        if dim is not BcastOpDim.H:
            ends[-1] = 1
        input_b = call("ttnn.slice", input_b, [0] * len(ends), ends)
    return elementwise(
        math_op.value, [input_a, input_b], memory_config=memory_config, output_tensor=output_tensor
    )


@registered("ttnn.composite_example", golden=lambda x, **_: x)
def composite_example(input_tensor: Tensor) -> Tensor:
    """A copy."""
    return clone(input_tensor)


@registered("ttnn.composite_example_multiple_return")
def composite_example_multiple_return(
    input_tensor: Tensor, return_output1: bool = True, return_output2: bool = True
) -> list[Tensor | None]:
    """Two copies, or those that are wanted."""
    return [clone(input_tensor) if wanted else None for wanted in (return_output1, return_output2)]


@registered("ttnn.experimental.broadcast_to")
def broadcast_to(
    input: Tensor,
    output_shape: Sequence[int],
    *,
    memory_config: MemoryConfig | None = None,
    output: Tensor | None = None,
) -> Tensor:
    """Axes of size 1 repeated; on the device."""
    spread: Tensor = call("ttnn.expand", input, list(output_shape), memory_config=memory_config)
    return spread if output is None else copy(spread, output)
