"""TensorSpec as ttnn takes it: a shape, a type, a layout, and where it lies."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.formats import TileShape
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.memory import MemoryConfig
from tilesmith.runtime import BufferType, Layout, ShardSpec, TensorMemoryLayout
from tilesmith.runtime.tensor_spec import TensorSpec as PlacedSpec


class TensorSpec(PlacedSpec):
    """ttnn.TensorSpec(shape, dtype, layout, buffer_type=...), or with a memory layout and shards.

    >>> TensorSpec([2, 40], DataType.BFLOAT16, Layout.TILE, buffer_type=BufferType.L1).padded_shape
    (32, 64)
    """

    def __init__(
        self,
        shape: Sequence[int],
        dtype: DataType,
        layout: Layout,
        memory_layout: TensorMemoryLayout | BufferType = TensorMemoryLayout.INTERLEAVED,
        shard_spec: ShardSpec | None = None,
        buffer_type: BufferType = BufferType.DRAM,
        tile: TileShape | None = None,
        *,
        memory_config: MemoryConfig | None = None,
    ) -> None:
        if isinstance(memory_layout, BufferType):  # the overload without a memory layout
            memory = MemoryConfig(TensorMemoryLayout.INTERLEAVED, memory_layout)
        else:
            memory = memory_config or MemoryConfig(memory_layout, buffer_type, shard_spec)
        super().__init__(tuple(map(int, shape)), dtype.format, layout, memory.placed(), tile or TileShape())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlacedSpec) and _facts(self) == _facts(other)

    def __hash__(self) -> int:
        return super().__hash__()


def _facts(spec: PlacedSpec) -> tuple[object, ...]:
    return spec.shape, spec.dtype, spec.layout, spec.memory_config, (spec.tile.rows, spec.tile.cols)
