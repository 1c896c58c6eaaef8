"""A tensor's memory as ttnn allocates it, and whole page arrays to and from it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tilesmith.runtime.buffer import Buffer, Bytes
from tilesmith.runtime.memory_config import Layout, NdShardSpec, ShardSpec
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.runtime.ttnn_translate import core_range_set, dtype_of

if TYPE_CHECKING:
    from tilesmith.runtime.ttnn_executor import TtnnDevice


class TtnnBuffer(Buffer):
    """Pages of a ttnn tensor. Bytes travel as they are: ttnn neither rounds nor reorders them."""

    def __init__(self, device: TtnnDevice, spec: TensorSpec) -> None:
        self._ttnn = device.executor.ttnn
        self._mesh = device.executor.mesh
        self._chips = device.executor.chips
        self._vendor_spec = tensor_spec(self._ttnn, spec)
        self.tensor: Any = self._ttnn.allocate_tensor_on_device(self._vendor_spec, self._mesh)
        super().__init__(device, spec, None)

    @property
    def address(self) -> int:
        self._check_usable()
        return int(self.tensor.buffer_address()) if self.num_pages else 0

    @property
    def accessor_words(self) -> tuple[int, ...]:
        self._check_usable()
        return tuple(self._ttnn.TensorAccessorArgs(self.tensor).get_compile_time_args())

    def write(self, pages: Bytes) -> None:
        self.write_parts([pages] * len(self._chips))

    def write_parts(self, parts: Sequence[Bytes]) -> None:
        """Pages for each chip of the mesh, row by row."""
        self._check_usable()
        self.times_written += 1
        if self.num_pages:
            host = self._ttnn.allocate_tensor_on_host(self._vendor_spec, self._mesh)
            for chip, pages in zip(self._chips, parts, strict=True):
                source = np.ascontiguousarray(pages, np.uint8)
                # numpy shows what it gets from another library read-only, so the copy goes beneath it.
                ctypes.memmove(self._bytes(host, chip).ctypes.data, source.ctypes.data, source.nbytes)
            self._ttnn.copy_host_to_device_tensor(host, self.tensor)

    def read(self) -> Bytes:
        return self.read_parts()[0]

    def read_parts(self) -> list[Bytes]:
        """The pages of each chip, row by row."""
        self._check_usable()
        shape = (self.num_pages, self.page_size)
        if not self.num_pages:
            return [np.empty(shape, np.uint8) for _ in self._chips]
        host = self.tensor.cpu()
        return [self._bytes(host, chip).reshape(shape).copy() for chip in self._chips]

    def deallocate(self) -> None:
        if not self._freed:
            self._freed = True
            self.tensor.deallocate(True)

    def _bytes(self, host: Any, chip: tuple[int, int]) -> Bytes:
        shard = host.host_buffer().get_shard(self._ttnn.MeshCoordinate(list(chip)))
        shown: Bytes = np.from_dlpack(shard).view(np.uint8)
        return shown


def tensor_spec(ttnn: Any, spec: TensorSpec) -> Any:
    """Our TensorSpec as ttnn's."""
    memory = spec.memory_config
    layout = ttnn.TILE_LAYOUT if spec.layout is Layout.TILE else ttnn.ROW_MAJOR_LAYOUT
    what = (ttnn.Shape(list(spec.shape)), dtype_of(ttnn, spec.dtype), layout)
    place = getattr(ttnn.BufferType, memory.buffer_type.name)
    tile = ttnn.Tile((spec.tile.rows, spec.tile.cols))
    if memory.nd_shard_spec is not None:
        return ttnn.TensorSpec(
            *what, nd_shard_spec=_nd_shard_spec(ttnn, memory.nd_shard_spec), buffer_type=place, tile=tile
        )
    if memory.shard_spec is None:
        return ttnn.TensorSpec(*what, buffer_type=place, tile=tile)
    return ttnn.TensorSpec(
        *what,
        memory_layout=getattr(ttnn.TensorMemoryLayout, memory.memory_layout.name),
        shard_spec=_shard_spec(ttnn, memory.shard_spec),
        buffer_type=place,
        tile=tile,
    )


def _nd_shard_spec(ttnn: Any, shards: NdShardSpec) -> Any:
    orientation = getattr(ttnn.ShardOrientation, shards.orientation.name)
    strategy = getattr(ttnn.ShardDistributionStrategy, shards.shard_distribution_strategy.name)
    grid = core_range_set(ttnn, shards.grid)
    return ttnn.NdShardSpec(ttnn.Shape(list(shards.shard_shape)), grid, orientation, strategy)


def _shard_spec(ttnn: Any, shards: ShardSpec) -> Any:
    orientation = getattr(ttnn.ShardOrientation, shards.orientation.name)
    return ttnn.ShardSpec(core_range_set(ttnn, shards.grid), list(shards.shape), orientation)
