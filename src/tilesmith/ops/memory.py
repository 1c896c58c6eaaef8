"""ttnn's MemoryConfig: like the runtime's, but it may leave the shards to be chosen later."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.ops.checks import fatal
from tilesmith.runtime import BufferType, ShardSpec, TensorMemoryLayout
from tilesmith.runtime import MemoryConfig as Placed


@dataclass(frozen=True)
class MemoryConfig:
    """Memory layout, memory and shards.

    >>> L1_MEMORY_CONFIG.is_sharded(), L1_MEMORY_CONFIG.buffer_type.name
    (False, 'L1')
    """

    memory_layout: TensorMemoryLayout = TensorMemoryLayout.INTERLEAVED
    buffer_type: BufferType = BufferType.DRAM
    shard_spec: ShardSpec | None = None

    def __post_init__(self) -> None:
        fatal(
            self.shard_spec is None or self.is_sharded(),
            "Interleaved memory layout does not take a shard spec",
        )

    def is_sharded(self) -> bool:
        return self.memory_layout is not TensorMemoryLayout.INTERLEAVED

    @property
    def interleaved(self) -> bool:
        return not self.is_sharded()

    def placed(self) -> Placed:
        """As the runtime has it; a sharded one needs its shard spec now."""
        found = _placed.get(self)
        if found is None:
            fatal(
                not self.is_sharded() or self.shard_spec is not None,
                "Sharded memory layout needs a shard spec",
                remedy="pass ttnn.MemoryConfig(layout, buffer type, shard spec), or"
                " ttnn.create_sharded_memory_config(...)",
            )
            found = _placed[self] = Placed(self.memory_layout, self.buffer_type, self.shard_spec)
        return found

    @staticmethod
    def of(placed: Placed) -> MemoryConfig:
        """The other way round."""
        return MemoryConfig(placed.memory_layout, placed.buffer_type, placed.shard_spec)


_placed: dict[MemoryConfig, Placed] = {}

DRAM_MEMORY_CONFIG = MemoryConfig()
L1_MEMORY_CONFIG = MemoryConfig(buffer_type=BufferType.L1)
L1_HEIGHT_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1)
L1_WIDTH_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED, BufferType.L1)
L1_BLOCK_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.BLOCK_SHARDED, BufferType.L1)
