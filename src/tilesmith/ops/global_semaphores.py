"""Global semaphores: a word in the L1 of each of some cores, at one address."""

from __future__ import annotations

import numpy as np

from tilesmith.ops.device import MeshDevice
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.memory import MemoryConfig
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import BufferType, Layout, ShardSpec, TensorMemoryLayout


class GlobalSemaphore:
    """Made by `create_global_semaphore`; it lives as long as this object."""

    def __init__(self, device: MeshDevice, cores: CoreRangeSet, initial_value: int) -> None:
        from tilesmith.ops.creation.host import from_values

        self.cores = CoreRangeSet.of(cores)
        count = self.cores.num_cores
        memory = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1, ShardSpec(self.cores, (1, 4)))
        words = np.full((count, 4), initial_value, np.uint32)
        self._words = from_values(words, DataType.UINT32, Layout.ROW_MAJOR, device, memory)

    @property
    def address(self) -> int:
        return self._words.buffer_address()

    def set_value(self, value: int) -> None:
        room = self._words.on_device
        assert room is not None
        room.copy_from_numpy(np.full(room.spec.shape, value, np.uint32))


def create_global_semaphore(
    device: MeshDevice, cores: CoreRangeSet, initial_value: int = 0, buffer_type: BufferType = BufferType.L1
) -> GlobalSemaphore:
    return GlobalSemaphore(device, cores, initial_value)


def get_global_semaphore_address(global_semaphore: GlobalSemaphore) -> int:
    return global_semaphore.address


def reset_global_semaphore_value(global_semaphore: GlobalSemaphore, reset_value: int) -> None:
    global_semaphore.set_value(reset_value)
