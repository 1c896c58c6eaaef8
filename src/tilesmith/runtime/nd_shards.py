"""Shards of any number of axes: which core holds which, and when they are the same as 2-D shards."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tilesmith.errors import DeviceError
from tilesmith.program import CoreCoord
from tilesmith.runtime.memory_config import (
    MemoryConfig,
    NdShardSpec,
    ShardDistributionStrategy,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class NdDistribution:
    """A tensor and a shard, both counted in pages, and the cores that shards are dealt out to."""

    tensor: Sizes
    shard: Sizes
    cores: tuple[CoreCoord, ...]
    contiguous: bool  # neighbouring shards on one core

    @staticmethod
    def of(spec: NdShardSpec, padded_shape: Sizes, page_shape: tuple[int, int]) -> NdDistribution:
        rank = len(spec.shard_shape)
        shape = padded_shape
        if len(shape) < rank and math.prod(spec.shard_shape[: rank - len(shape)]) == 1:
            shape = (1,) * (rank - len(shape)) + shape
        if len(shape) < rank:
            raise DeviceError(
                f"a shard of shape {spec.shard_shape} has more axes than the tensor of shape {padded_shape}",
                remedy="give a shard shape with as many axes as the tensor, or fewer",
            )
        # Axes that the shard does not name are counted with the first that it does.
        folded = (math.prod(shape[: len(shape) - rank + 1]), *shape[len(shape) - rank + 1 :])
        tensor, shard = in_pages(folded, page_shape), in_pages(spec.shard_shape, page_shape)
        strategy = spec.shard_distribution_strategy
        cores = _grid_cores(spec, tensor, shard) if strategy is ShardDistributionStrategy.GRID_2D else None
        in_order = spec.grid.cores(row_wise=spec.orientation is ShardOrientation.ROW_MAJOR)
        contiguous = strategy is ShardDistributionStrategy.CONTIGUOUS_1D
        result = NdDistribution(tensor, shard, tuple(cores or in_order), contiguous)
        count = math.prod(result.shard_counts)
        if contiguous and count % len(result.cores):
            raise DeviceError(
                f"{count} shards cannot go to {len(result.cores)} cores, as many to each",
                remedy="choose other shards or cores, or ShardDistributionStrategy.ROUND_ROBIN_1D",
            )
        return result

    @property
    def shard_counts(self) -> Sizes:
        """Shards along each axis."""
        return tuple(-(-size // step) for size, step in zip(self.tensor, self.shard, strict=True))

    @property
    def shards_per_core(self) -> int:
        return -(-math.prod(self.shard_counts) // len(self.cores))

    def places(self) -> Iterator[tuple[CoreCoord, int, tuple[slice, ...]]]:
        """Of each shard: its core, the number of its place there, and the pages it holds."""
        for number, index in enumerate(np.ndindex(*self.shard_counts)):
            if self.contiguous:
                core, place = divmod(number, self.shards_per_core)
            else:
                place, core = divmod(number, len(self.cores))
            box = tuple(slice(i * step, (i + 1) * step) for i, step in zip(index, self.shard, strict=True))
            yield self.cores[core], place, box


def in_pages(shape: Sizes, page_shape: tuple[int, int]) -> Sizes:
    """
    >>> in_pages((2, 64, 96), (32, 32))
    (2, 2, 3)
    """
    rows, cols = page_shape
    *outer, height, width = (1, *shape) if len(shape) == 1 else shape
    counted = (*outer, -(-height // rows), -(-width // cols))
    return counted if len(shape) > 1 else counted[1:]


def _grid_cores(spec: NdShardSpec, tensor: Sizes, shard: Sizes) -> list[CoreCoord]:
    """One shard for each core of a rectangle."""
    if len(shard) > 2 or len(spec.grid.ranges) != 1:
        raise DeviceError("a grid of shards needs 2-D shards and one rectangle of cores")
    across = -(-tensor[-1] // shard[-1])
    down = -(-math.prod(tensor[:-1]) // (shard[-2] if len(shard) > 1 else 1))
    by_row = spec.orientation is ShardOrientation.ROW_MAJOR
    wide, high = (across, down) if by_row else (down, across)
    box = spec.grid.ranges[0]
    if wide > box.width or high > box.height:
        raise DeviceError(f"{down} x {across} shards do not fit a grid of {box.width} x {box.height} cores")
    start = box.start
    if by_row:
        return [CoreCoord(start.x + j, start.y + i) for i in range(high) for j in range(wide)]
    return [CoreCoord(start.x + i, start.y + j) for i in range(wide) for j in range(high)]


def two_dimensional(memory: MemoryConfig, padded_shape: Sizes) -> MemoryConfig | None:
    """The same placing as height, width or block shards, by the vendor's rule; None where there is none."""
    spec = memory.nd_shard_spec
    assert spec is not None
    if spec.shard_distribution_strategy is ShardDistributionStrategy.CONTIGUOUS_1D:
        return None
    shard = _flattened(spec.shard_shape, padded_shape)
    if shard is None:
        return None
    width = padded_shape[-1]
    height = math.prod(padded_shape[:-1])
    down, across = -(-height // shard[0]), -(-width // shard[1])
    if spec.orientation is not ShardOrientation.ROW_MAJOR:
        down, across = across, down
    if down * across > spec.grid.num_cores:
        return None
    layout = _layout_of(spec, shard, height, width, down, across)
    return layout and replace(
        memory, memory_layout=layout, shard_spec=ShardSpec(spec.grid, shard, spec.orientation)
    )


def _flattened(shard_shape: Sizes, padded_shape: Sizes) -> tuple[int, int] | None:
    """The shard as rows and columns, where it holds consecutive rows."""
    if len(shard_shape) > len(padded_shape):
        return None
    rows, seen = 1, padded_shape[-1]
    for axis in range(-2, -len(shard_shape) - 1, -1):
        whole, part = padded_shape[axis], shard_shape[axis]
        seen *= whole
        rows *= part
        if whole == part:
            continue
        if math.prod(shard_shape) != rows * shard_shape[-1]:
            return None
        if axis == -len(shard_shape) or whole % part == 0 or math.prod(padded_shape) == seen:
            break
        return None
    return rows, shard_shape[-1]


def _layout_of(
    spec: NdShardSpec, shard: Sequence[int], height: int, width: int, down: int, across: int
) -> TensorMemoryLayout | None:
    in_turn = spec.shard_distribution_strategy is ShardDistributionStrategy.ROUND_ROBIN_1D
    if in_turn and shard[0] == height:
        return TensorMemoryLayout.WIDTH_SHARDED
    if in_turn and shard[1] == width:
        return TensorMemoryLayout.HEIGHT_SHARDED
    if len(spec.grid.ranges) != 1:
        return None
    box = spec.grid.ranges[0]
    if (in_turn and across != box.width) or across > box.width or down > box.height:
        return None
    return TensorMemoryLayout.BLOCK_SHARDED
