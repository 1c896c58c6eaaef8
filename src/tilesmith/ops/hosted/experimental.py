"""Other operations of the experimental namespace: slice_write, typecast, view, fast_reduce_nc, dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import registered
from tilesmith.ops.framework.registry import call
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.memory import copy
from tilesmith.ops.tensor import Tensor


@registered("ttnn.experimental.slice_write")
def slice_write(
    input_tensor: Tensor, output_tensor: Tensor, start: Sequence[int], end: Sequence[int], step: Sequence[int]
) -> Tensor:
    """A tensor written into a box of another."""

    def compute(whole: Any, part: Any) -> Any:
        box = tuple(slice(a, b, s) for a, b, s in zip(start, end, step, strict=True))
        whole[box] = part.reshape(whole[box].shape)
        return whole

    inputs = [output_tensor, input_tensor]
    return on_host("ttnn.experimental.slice_write", compute, inputs, output=output_tensor)[0]


@registered("ttnn.experimental.typecast")
def experimental_typecast(
    input_tensor: Tensor,
    dtype: DataType,
    memory_config: MemoryConfig | None = None,
    optional_output_tensor: Tensor | None = None,
) -> Tensor:
    """`ttnn.typecast`."""
    result: Tensor = call(
        "ttnn.typecast",
        input_tensor,
        dtype,
        memory_config=memory_config,
        output_tensor=optional_output_tensor,
    )
    return result


@registered("ttnn.experimental.view")
def experimental_view(input_tensor: Tensor, *shape: Any) -> Tensor:
    """`ttnn.view`."""
    result: Tensor = call("ttnn.view", input_tensor, *shape)
    return result


@registered(
    "ttnn.experimental.fast_reduce_nc", golden=lambda x, *, dims, **_: x.sum(tuple(dims), keepdim=True)
)
def fast_reduce_nc(
    input: Tensor,
    *,
    dims: Sequence[int] = (),
    output: Tensor | None = None,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: object = None,
    sub_core_grids: object = None,
) -> Tensor:
    """Sums along axes other than the last two; on the device."""
    total: Tensor = call("ttnn.sum", input, list(dims), True, memory_config=memory_config)
    return total if output is None else copy(total, output)


@registered("ttnn.experimental.dropout")
def dropout(
    input_tensor: Tensor,
    probability: float,
    scale: float,
    seed: int,
    *,
    use_per_device_seed: bool = True,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """Elements dropped with a probability, the others scaled."""

    def compute(x: Any) -> Any:
        import torch

        kept = torch.rand(x.shape, generator=torch.Generator().manual_seed(seed)) >= probability
        return x * scale * kept

    return on_host(
        "ttnn.experimental.dropout",
        compute,
        [input_tensor],
        memory_config=memory_config,
        output=output_tensor,
    )[0]
