"""A circular buffer that stands on a tensor's shards."""

from __future__ import annotations

from tilesmith.arch.cores import Cores
from tilesmith.program import CBFormat, CircularBuffer
from tilesmith.runtime.memory_config import Layout
from tilesmith.runtime.tensor import Tensor


def cb_from_sharded_tensor(
    index: int, tensor: Tensor, address_offset: int = 0, total_size: int = 0, core_ranges: Cores | None = None
) -> CircularBuffer:
    """ttnn's cb_descriptor_from_sharded_tensor: pages, format and cores are the tensor's.

    >>> from tilesmith.program import CoreRange
    >>> from tilesmith.runtime import height_sharded, open_device
    >>> with open_device("n150") as device:
    ...     memory = height_sharded(CoreRange((0, 0), (3, 0)), (32, 32))
    ...     shards = device.empty((128, 32), memory_config=memory)
    ...     cb_from_sharded_tensor(0, shards).total_size
    2048
    """
    tile = tensor.spec.tile if tensor.layout is Layout.TILE else None
    return CircularBuffer(
        total_size or tensor.size_per_bank - address_offset,
        tensor.cores if core_ranges is None else core_ranges,
        CBFormat(index, tensor.dtype, tensor.aligned_page_size, tile),
        buffer=tensor.buffer,
        address_offset=address_offset,
    )
