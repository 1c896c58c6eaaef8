"""Products of the experimental namespace: minimal_matmul, attn_matmul, group_attn_matmul."""

from __future__ import annotations

from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import register, registered
from tilesmith.ops.framework.registry import call
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.tensor import Tensor


@registered("ttnn.experimental.minimal_matmul")
def minimal_matmul(
    input_tensor: Tensor,
    weight_tensor: Tensor,
    *,
    bias_tensor: Tensor | None = None,
    fused_activation: Any = None,
    config: object = None,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    compute_kernel_config: Any = None,
    fuse_swiglu: bool = False,
) -> Tensor:
    """`ttnn.linear`; on the device."""
    fatal(
        not fuse_swiglu, "tilesmith: minimal_matmul(fuse_swiglu=True) is not there; call ttnn.swiglu after it"
    )
    result: Tensor = call(
        "ttnn.linear",
        input_tensor,
        weight_tensor,
        bias=bias_tensor,
        activation=fused_activation,
        memory_config=memory_config,
        dtype=dtype,
        compute_kernel_config=compute_kernel_config,
    )
    return result


@registered("ttnn.experimental.attn_matmul")
def attn_matmul(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    compute_with_storage_grid_size: object = None,
    dtype: DataType | None = None,
    compute_kernel_config: object = None,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """(1, heads, batch, k) by (batch, 1 or kv heads, k, n): each of the batch has its own matrix."""

    def compute(a: Any, b: Any) -> Any:
        times = a.shape[1] // b.shape[1]
        return (a.permute(2, 1, 0, 3) @ b.repeat_interleave(times, 1)).permute(2, 1, 0, 3)

    return on_host(
        "ttnn.experimental.attn_matmul",
        compute,
        [input_tensor_a, input_tensor_b],
        dtype=dtype,
        memory_config=memory_config or DRAM_MEMORY_CONFIG,
        output=output_tensor,
    )[0]


def _group_attn_matmul(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    compute_with_storage_grid_size: object = None,
    memory_config: MemoryConfig | None = None,
    dtype: DataType | None = None,
    compute_kernel_config: object = None,
    optional_output_tensor: Tensor | None = None,
) -> Tensor:
    """The same for heads in groups."""
    return attn_matmul(
        input_tensor_a,
        input_tensor_b,
        dtype=dtype,
        memory_config=memory_config,
        output_tensor=optional_output_tensor,
    )


register("ttnn.experimental.group_attn_matmul", _group_attn_matmul)
