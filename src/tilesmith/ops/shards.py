"""Memory configs that leave their shards open, filled in for a shape."""

from __future__ import annotations

from dataclasses import replace

from tilesmith.errors import DeviceError
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec


def fitting_memory(wanted: MemoryConfig, shape: tuple[int, ...], like: Tensor) -> MemoryConfig:
    """The memory config wanted, for a tensor of this shape made from `like`.

    A sharded one without shards takes those of `like`; shards that cannot hold the shape give way to DRAM.
    """
    if not wanted.is_sharded():
        return wanted
    if wanted.shard_spec is None:
        wanted = replace(wanted, shard_spec=like.memory_config().shard_spec)
    if shape == like.spec.shape and wanted == like.memory_config():
        return wanted
    try:
        TensorSpec(shape, like.spec.dtype, like.spec.layout, wanted.placed())
    except DeviceError:
        return replace(DRAM_MEMORY_CONFIG, buffer_type=wanted.buffer_type)
    return wanted
