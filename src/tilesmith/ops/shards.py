"""Memory configs that leave their shards open, or whose shards do not fit, completed for a shape."""

from __future__ import annotations

from dataclasses import replace

from tilesmith.errors import DeviceError
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout
from tilesmith.runtime.tensor_spec import TensorSpec


def fitting_memory(
    wanted: MemoryConfig, shape: tuple[int, ...], like: Tensor, layout: Layout | None = None
) -> MemoryConfig:
    """The memory config wanted, for a tensor of this shape made from `like`.

    A sharded one without shards takes those of `like`. Where the shards were only inherited and cannot hold
    the shape, the tensor goes interleaved into the same memory; shards asked for by name must fit.
    """
    if not wanted.is_sharded():
        return wanted
    own = like.memory_config()
    if wanted.shard_spec is None:
        wanted = replace(wanted, shard_spec=own.shard_spec)
    if wanted != own:
        return wanted
    try:
        TensorSpec(shape, like.spec.dtype, layout or like.spec.layout, wanted.placed())
    except DeviceError:
        return replace(DRAM_MEMORY_CONFIG, buffer_type=wanted.buffer_type)
    return wanted
