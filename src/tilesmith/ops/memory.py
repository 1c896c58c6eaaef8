"""ttnn's MemoryConfig: like the runtime's, but it may leave the shards to be chosen later."""

from __future__ import annotations

from dataclasses import dataclass

from tilesmith.ops.checks import fatal
from tilesmith.runtime import (
    BufferType,
    NdShardSpec,
    ShardDistributionStrategy,
    ShardSpec,
    TensorMemoryLayout,
)
from tilesmith.runtime import MemoryConfig as Placed


@dataclass(frozen=True, eq=False, init=False)
class MemoryConfig:
    """Memory layout, memory and shards; or memory and ND shards.

    >>> L1_MEMORY_CONFIG.is_sharded(), L1_MEMORY_CONFIG.buffer_type.name
    (False, 'L1')
    """

    memory_layout: TensorMemoryLayout
    buffer_type: BufferType
    shard_spec: ShardSpec | None
    given_nd_shard_spec: NdShardSpec | None

    def __init__(
        self,
        memory_layout: TensorMemoryLayout | BufferType = TensorMemoryLayout.INTERLEAVED,
        buffer_type: BufferType | NdShardSpec = BufferType.DRAM,
        shard_spec: ShardSpec | None = None,
        nd_shard_spec: NdShardSpec | None = None,
        *,
        given_nd_shard_spec: NdShardSpec | None = None,
    ) -> None:
        if isinstance(memory_layout, BufferType):  # (buffer_type, nd_shard_spec)
            if isinstance(buffer_type, NdShardSpec):
                nd_shard_spec = buffer_type
            buffer_type = memory_layout
            memory_layout = TensorMemoryLayout.INTERLEAVED
        assert isinstance(buffer_type, BufferType)
        nd = nd_shard_spec or given_nd_shard_spec
        if nd is not None and shard_spec is None:
            memory_layout = TensorMemoryLayout.ND_SHARDED
        self.__dict__.update(
            memory_layout=memory_layout,
            buffer_type=buffer_type,
            shard_spec=shard_spec,
            given_nd_shard_spec=nd,
        )
        fatal(
            self.shard_spec is None or self.is_sharded(),
            "Interleaved memory layout does not take a shard spec",
        )

    @property
    def nd_shard_spec(self) -> NdShardSpec | None:
        """As it was given, or the same as the 2-D shards."""
        if self.given_nd_shard_spec is not None or self.shard_spec is None:
            return self.given_nd_shard_spec
        blocks = self.memory_layout is TensorMemoryLayout.BLOCK_SHARDED
        strategy = ShardDistributionStrategy.GRID_2D if blocks else ShardDistributionStrategy.ROUND_ROBIN_1D
        spec = self.shard_spec
        return NdShardSpec(spec.shape, spec.grid, spec.orientation, strategy)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MemoryConfig) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        """ND shards that could be written in two dimensions are compared as those."""
        return self.memory_layout, self.buffer_type, self.shard_spec or self.given_nd_shard_spec

    def is_sharded(self) -> bool:
        return self.memory_layout is not TensorMemoryLayout.INTERLEAVED

    @property
    def interleaved(self) -> bool:
        return not self.is_sharded()

    @property
    def lacks_shards(self) -> bool:
        """Whether it is sharded and nobody said how."""
        return self.is_sharded() and self.shard_spec is None and self.given_nd_shard_spec is None

    def placed(self) -> Placed:
        """As the runtime has it; a sharded one needs its shard spec now."""
        found = _placed.get(self)
        if found is None:
            fatal(
                not self.lacks_shards,
                "Sharded memory layout needs a shard spec",
                remedy="pass ttnn.MemoryConfig(layout, buffer type, shard spec), or"
                " ttnn.create_sharded_memory_config(...)",
            )
            found = Placed(self.memory_layout, self.buffer_type, self.shard_spec, self.given_nd_shard_spec)
            _placed[self] = found
        return found

    @staticmethod
    def of(placed: Placed) -> MemoryConfig:
        """The other way round."""
        return MemoryConfig(placed.memory_layout, placed.buffer_type, placed.shard_spec, placed.nd_shard_spec)


def placed(given: MemoryConfig | Placed | None) -> Placed:
    """Where a tensor is to lie, DRAM by default; what a TensorSpec tells is the runtime's already."""
    if isinstance(given, Placed):
        return given
    return (given or DRAM_MEMORY_CONFIG).placed()


_placed: dict[MemoryConfig, Placed] = {}

DRAM_MEMORY_CONFIG = MemoryConfig()
L1_MEMORY_CONFIG = MemoryConfig(buffer_type=BufferType.L1)
L1_HEIGHT_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1)
L1_WIDTH_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED, BufferType.L1)
L1_BLOCK_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.BLOCK_SHARDED, BufferType.L1)
