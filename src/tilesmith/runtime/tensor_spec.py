"""What follows from a tensor's shape, format, layout and memory: padding, pages, and shards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from tilesmith.arch import Arch
from tilesmith.errors import DeviceError
from tilesmith.formats import DataFormat, TileShape, tile_bytes
from tilesmith.program import CoreCoord
from tilesmith.runtime.memory_config import (
    Layout,
    MemoryConfig,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)
from tilesmith.runtime.nd_shards import NdDistribution, two_dimensional


@dataclass(frozen=True)
class TensorSpec:
    """A tensor without its data. Pages are tiles, or rows (pieces of rows where shards are narrower)."""

    shape: tuple[int, ...]
    dtype: DataFormat
    layout: Layout
    memory_config: MemoryConfig
    tile: TileShape = TileShape()

    def __post_init__(self) -> None:
        if any(size < 0 for size in self.shape):
            raise DeviceError(f"a tensor cannot have shape {self.shape}")
        if self.layout is Layout.ROW_MAJOR and self.dtype.is_block_float:
            raise DeviceError(
                f"{self.dtype.name} exists in tiles only: 16 elements share an exponent",
                remedy="use layout=TILE_LAYOUT",
            )
        if self.memory_config.is_nd_sharded:
            equal = two_dimensional(self.memory_config, self.padded_shape)
            if equal is None:
                self.nd  # noqa: B018 - checks that the shards fit
                return
            object.__setattr__(self, "memory_config", equal)
            self.__dict__.pop("padded_shape", None)
        if self.memory_config.shard_spec is not None:
            self._check_shards(self.memory_config.shard_spec)

    @cached_property
    def _hash(self) -> int:
        return hash((self.shape, self.dtype, self.layout, self.memory_config, self.tile))

    def __hash__(self) -> int:
        """Worked out once: every launch looks its program up by the specs of its tensors."""
        return self._hash

    @cached_property
    def padded_shape(self) -> tuple[int, ...]:
        if self.layout is Layout.TILE:
            *outer, height, width = (1, 1, *self.shape) if len(self.shape) < 2 else self.shape
            outer = outer if len(self.shape) >= 2 else []
            return (*outer, _round_up(height, self.tile.rows), _round_up(width, self.tile.cols))
        if self._page_width is not None and self.shape:
            return (*self.shape[:-1], _round_up(self.shape[-1], self._page_width))
        return self.shape

    @property
    def volume(self) -> int:
        """Elements, padding included."""
        return math.prod(self.padded_shape)

    @cached_property
    def height_width(self) -> tuple[int, int]:
        """All but the last dimension together, and the last; both padded."""
        width = self.padded_shape[-1] if self.padded_shape else 1
        return (self.volume // width if width else 0), width

    @cached_property
    def nd(self) -> NdDistribution:
        """The shards of an ND-sharded tensor."""
        assert self.memory_config.nd_shard_spec is not None
        return NdDistribution.of(self.memory_config.nd_shard_spec, self.padded_shape, self.page_shape)

    @property
    def _page_width(self) -> int | None:
        """Elements of a row that make a page, where a shard is narrower than the tensor."""
        if self.memory_config.is_nd_sharded:
            assert self.memory_config.nd_shard_spec is not None
            return self.memory_config.nd_shard_spec.shard_shape[-1]
        spec = self.memory_config.shard_spec
        if spec is None or self.memory_config.memory_layout is TensorMemoryLayout.HEIGHT_SHARDED:
            return None
        return spec.shape[1]

    @cached_property
    def page_shape(self) -> tuple[int, int]:
        if self.layout is Layout.TILE:
            return self.tile.rows, self.tile.cols
        return 1, self._page_width or max(self.height_width[1], 1)

    @cached_property
    def page_size(self) -> int:
        if self.layout is Layout.TILE:
            return tile_bytes(self.dtype, self.tile)
        return self.page_shape[1] * self.dtype.datum_bytes

    def aligned_page_size(self, arch: Arch) -> int:
        alignment = arch.dram_alignment if self.memory_config.in_dram else arch.l1_alignment
        return _round_up(self.page_size, alignment)

    @cached_property
    def page_grid(self) -> tuple[int, int]:
        """Pages down and across the tensor seen as height x width."""
        (height, width), (rows, cols) = self.height_width, self.page_shape
        return height // rows, width // cols

    @cached_property
    def num_pages(self) -> int:
        return math.prod(self.page_grid)

    @cached_property
    def shard_grid(self) -> tuple[int, int]:
        """Pages down and across one shard."""
        spec = self._shards
        return spec.shape[0] // self.page_shape[0], spec.shape[1] // self.page_shape[1]

    @cached_property
    def shard_count(self) -> tuple[int, int]:
        """Shards down and across."""
        return (
            -(-self.page_grid[0] // self.shard_grid[0]),
            -(-self.page_grid[1] // self.shard_grid[1]),
        )

    @cached_property
    def shard_cores(self) -> tuple[CoreCoord, ...]:
        """The core (or, in DRAM, the bank as x) of each shard, numbered row by row.

        Of ND shards: the cores they are dealt out to, in order.
        """
        if self.memory_config.is_nd_sharded:
            return self.nd.cores
        spec = self._shards
        if self.memory_config.memory_layout is not TensorMemoryLayout.BLOCK_SHARDED:
            return tuple(spec.cores)
        start = spec.grid.ranges[0].start
        down, across = self.shard_count
        if spec.orientation is ShardOrientation.ROW_MAJOR:
            return tuple(CoreCoord(start.x + j, start.y + i) for i in range(down) for j in range(across))
        return tuple(CoreCoord(start.x + i, start.y + j) for i in range(down) for j in range(across))

    def bytes_per_bank(self, arch: Arch) -> int:
        aligned = self.aligned_page_size(arch)
        if self.memory_config.is_nd_sharded:
            return self.nd.shards_per_core * math.prod(self.nd.shard) * aligned
        if self.memory_config.is_sharded:
            return math.prod(self.shard_grid) * aligned
        banks = arch.num_dram_banks if self.memory_config.in_dram else arch.num_cores
        return -(-self.num_pages // banks) * aligned

    @property
    def _shards(self) -> ShardSpec:
        assert self.memory_config.shard_spec is not None
        return self.memory_config.shard_spec

    def _check_shards(self, spec: ShardSpec) -> None:
        memory_layout = self.memory_config.memory_layout
        (height, width), (rows, cols) = self.height_width, spec.shape
        if self.layout is Layout.TILE and (rows % self.tile.rows or cols % self.tile.cols):
            tile = f"{self.tile.rows}x{self.tile.cols}"
            self._reject(spec, f"is not made of {tile} tiles", "round the shard up to whole tiles")
        if memory_layout is TensorMemoryLayout.HEIGHT_SHARDED and cols != width:
            self._reject(spec, f"is not as wide as the tensor ({width})", "height shards hold whole rows")
        if memory_layout is TensorMemoryLayout.WIDTH_SHARDED and rows != height:
            self._reject(spec, f"is not as high as the tensor ({height})", "width shards hold whole columns")
        down, across = self.shard_count
        if memory_layout is TensorMemoryLayout.BLOCK_SHARDED:
            self._check_block_grid(spec)
        elif down * across > spec.grid.num_cores:
            why = f"gives {down * across} shards for {spec.grid.num_cores} cores"
            self._reject(spec, why, "use larger shards, or more cores")

    def _check_block_grid(self, spec: ShardSpec) -> None:
        if len(spec.grid.ranges) != 1:
            self._reject(spec, f"lies on {spec.grid}", "block shards need one rectangle of cores")
        box = spec.grid.ranges[0]
        by_row = spec.orientation is ShardOrientation.ROW_MAJOR
        room = (box.height, box.width) if by_row else (box.width, box.height)
        down, across = self.shard_count
        if down > room[0] or across > room[1]:
            why = f"gives {down} x {across} shards where cores take {room[0]} x {room[1]}"
            self._reject(spec, why, "use larger shards, or more cores")

    def _reject(self, spec: ShardSpec, why: str, remedy: str) -> None:
        raise DeviceError(
            f"a shard of {spec.shape[0]} x {spec.shape[1]} {why}",
            where=f"{self.memory_config.memory_layout.value} tensor of shape {self.shape}",
            remedy=remedy,
        )


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
