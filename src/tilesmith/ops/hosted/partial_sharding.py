"""Equal parts of the rows of a tensor, moved into shards and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import registered
from tilesmith.ops.framework.registry import call
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.rearrange.memory import to_memory_config
from tilesmith.ops.tensor import Tensor


@registered("ttnn.interleaved_to_sharded_partial")
def interleaved_to_sharded_partial(
    input_tensor: Tensor,
    grid: Any,
    shard_shape: Sequence[int],
    num_slices: int,
    slice_index: int,
    shard_scheme: Any,
    shard_orientation: Any,
    *,
    output_dtype: DataType | None = None,
) -> Tensor:
    """One of several equal parts of the rows, in shards; on the device."""
    *outer, height, width = input_tensor.spec.shape
    rows = height
    for size in outer:
        rows *= size
    each = rows // num_slices
    flat = call("ttnn.reshape", input_tensor, (1, 1, rows, width))
    part = call("ttnn.slice", flat, [0, 0, slice_index * each, 0], [1, 1, (slice_index + 1) * each, width])
    result: Tensor = call(
        "ttnn.interleaved_to_sharded", part, grid, shard_shape, shard_scheme, shard_orientation, output_dtype
    )
    return result


@registered("ttnn.sharded_to_interleaved_partial")
def sharded_to_interleaved_partial(
    input_tensor: Tensor,
    cache_tensor: Tensor,
    num_slices: int,
    slice_index: int,
    *,
    memory_config: MemoryConfig | None = None,
    output_dtype: DataType | None = None,
) -> Tensor:
    """Back into its place of the whole."""
    part = to_memory_config(input_tensor, DRAM_MEMORY_CONFIG)

    def compute(whole: Any, rows: Any) -> Any:
        flat = whole.reshape(-1, whole.shape[-1])
        each = flat.shape[0] // num_slices
        flat[slice_index * each : (slice_index + 1) * each] = rows.reshape(each, -1)
        return flat.reshape(whole.shape)

    inputs = [cache_tensor, part]
    return on_host("ttnn.sharded_to_interleaved_partial", compute, inputs, output=cache_tensor)[0]
