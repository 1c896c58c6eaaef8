"""permute and transpose."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.ops.axes import normal_axis
from tilesmith.ops.checks import fatal
from tilesmith.ops.framework import registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.api import rearrange
from tilesmith.ops.rearrange.mapping import permuted
from tilesmith.ops.tensor import Tensor


@registered("ttnn.permute", golden=lambda tensor, dims, **_: tensor.permute(tuple(dims)))
def permute(
    input_tensor: Tensor,
    dims: Sequence[int],
    *,
    memory_config: MemoryConfig | None = None,
    pad_value: float = 0.0,
) -> Tensor:
    """Axes in another order: output axis i is input axis dims[i]."""
    shape = input_tensor.spec.shape
    fatal(
        len(dims) == len(shape),
        "The number of dimensions in the tensor input does not match the length of the desired ordering",
    )
    order = [normal_axis(dim, len(shape)) for dim in dims]
    fatal(len(set(order)) == len(order), f"Each dimension must be named once, got {list(dims)}")
    return _ordered(input_tensor, order, "permute", memory_config, pad_value)


@registered("ttnn.transpose", golden=lambda tensor, dim1, dim2, **_: tensor.transpose(dim1, dim2))
def transpose(
    input_tensor: Tensor,
    dim1: int,
    dim2: int,
    *,
    memory_config: MemoryConfig | None = None,
    pad_value: float = 0.0,
) -> Tensor:
    """Two axes exchanged."""
    rank = len(input_tensor.spec.shape)
    first, second = normal_axis(dim1, rank), normal_axis(dim2, rank)
    order = list(range(rank))
    order[first], order[second] = second, first
    return _ordered(input_tensor, order, "transpose", memory_config, pad_value)


def _ordered(
    tensor: Tensor, order: Sequence[int], label: str, memory_config: MemoryConfig | None, pad_value: float
) -> Tensor:
    if list(order) == sorted(order) and memory_config in (None, tensor.memory_config()):
        return tensor
    segment = permuted(tensor.spec.shape, order)
    return rearrange(
        [tensor], segment.size, [segment], label=label, memory_config=memory_config, fill=pad_value
    )
