"""What is drawn for a program: shapes, types, layouts, places in memory, and tensors of these.

Everything that is drawn is written down as the ttnn code that makes it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from random import Random

import torch

from tilesmith import ttnn

Shape = tuple[int, ...]
FLOATS = ("bfloat16", "bfloat16", "bfloat16", "float32", "float32", "bfloat8_b", "bfloat4_b")
INTEGERS = ("int32", "int32", "uint32", "uint16", "uint8")
LIMITS = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "uint16": (0, 2**16 - 1),
    "uint8": (0, 255),
}
_SIZES = (1, 1, 2, 3, 5, 16, 17, 31, 32, 32, 33, 48, 63, 64, 65, 96, 100, 128)


@dataclass
class Draw:
    """A random number generator, the device, and the code of what was made so far."""

    rng: Random
    device: ttnn.MeshDevice
    code: list[str] = field(default_factory=list)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def shape(self, lowest: int = 1, highest: int = 4) -> Shape:
        """Sizes below one tile, at its borders and beyond; few elements, so that a run takes no time."""
        rank = self.rng.choice([rank for rank in (1, 2, 2, 3, 3, 4, 4) if lowest <= rank <= highest])
        sizes = [self.rng.choice(_SIZES) for _ in range(rank)]
        for axis in range(max(rank - 2, 0)):
            sizes[axis] = self.rng.choice((1, 1, 2, 3))
        return tuple(sizes)

    def dtype(self, integers: float = 0.3) -> str:
        return self.rng.choice(INTEGERS if self.chance(integers) else FLOATS)

    def layout(self, dtype: str) -> ttnn.Layout:
        rows = dtype not in ("bfloat8_b", "bfloat4_b") and self.chance(0.3)
        return ttnn.ROW_MAJOR_LAYOUT if rows else ttnn.TILE_LAYOUT

    def memory(self, shape: Shape, layout: ttnn.Layout) -> ttnn.MemoryConfig:
        """DRAM, L1, or shards that are whole tiles; those at the ends need not be full."""
        if len(shape) < 2 or self.chance(0.6):
            return ttnn.DRAM_MEMORY_CONFIG if self.chance(0.6) else ttnn.L1_MEMORY_CONFIG
        if layout == ttnn.TILE_LAYOUT and self.chance(0.2):
            return self.nd_shards(shape)
        height, width = math.prod(shape[:-1]), shape[-1]
        if layout == ttnn.TILE_LAYOUT:
            height, width = math.prod(shape[:-2]) * _up(shape[-2], 32), _up(width, 32)
        unit = 32 if layout == ttnn.TILE_LAYOUT else 1
        kind = self.rng.choice(("HEIGHT", "WIDTH", "BLOCK"))
        down = self.rng.randint(1, min(4, _cut(height, unit))) if kind != "WIDTH" else 1
        across = self.rng.randint(1, min(4, _cut(width, unit))) if kind != "HEIGHT" else 1
        shard = (_up(_cut(height, down), unit), _up(_cut(width, across), unit))
        if layout == ttnn.ROW_MAJOR_LAYOUT and (width % across or shard[1] % 16):
            return ttnn.L1_MEMORY_CONFIG
        down, across = _cut(height, shard[0]), _cut(width, shard[1])
        columns, rows = (across, down) if kind == "BLOCK" else (down * across, 1)
        return _sharded(kind, columns, rows, shard)

    def nd_shards(self, shape: Shape) -> ttnn.MemoryConfig:
        """Shards of as many dimensions as the tensor, smaller or larger than it."""
        sizes = [self.rng.randint(1, size) for size in shape[:-2]]
        sizes += [32 * self.rng.randint(1, _cut(size, 32) + 1) for size in shape[-2:]]
        box = ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(3, 3))
        spec = ttnn.NdShardSpec(ttnn.Shape(sizes), ttnn.CoreRangeSet([box]))
        return ttnn.MemoryConfig(ttnn.BufferType.L1, spec)

    def tensor(
        self,
        shape: Shape,
        dtype: str,
        *,
        low: float = -3.0,
        high: float = 3.0,
        layout: ttnn.Layout | None = None,
        interleaved: bool = False,
        wild: bool = False,
    ) -> ttnn.Tensor:
        """A tensor on the device. Integers are drawn from low to high as well.

        A `wild` one has infinities, zeros of both signs, and very large and small numbers here and there.
        """
        layout = layout or self.layout(dtype)
        memory = ttnn.DRAM_MEMORY_CONFIG if interleaved else self.memory(shape, layout)
        seed = self.rng.randrange(2**31)
        values = _values(shape, dtype, low, high, seed)
        wild = wild and dtype in ("bfloat16", "float32")
        values = _with_extremes(values, seed) if wild else values
        made: ttnn.Tensor = ttnn.from_torch(
            values, dtype=getattr(ttnn, dtype), layout=layout, device=self.device, memory_config=memory
        )
        self.code.append(
            f"t{len(self.code)} = ttnn.from_torch(values({shape}, {dtype!r}, {low}, {high}, {seed}, {wild}), "
            f"dtype=ttnn.{dtype}, layout=ttnn.{layout}, device=device, memory_config={memory})"
        )
        return made


def plain(tensor: ttnn.Tensor) -> torch.Tensor:
    """What a tensor holds, in the widest type: float64 or int64."""
    values: torch.Tensor = ttnn.to_torch(tensor)
    return values.to(torch.float64 if values.is_floating_point() else torch.int64)


def name_of(tensor: ttnn.Tensor) -> str:
    """The dtype's name as ttnn spells it."""
    return str(tensor.dtype.name).lower()


def _values(shape: Shape, dtype: str, low: float, high: float, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    if dtype in LIMITS:
        least, most = LIMITS[dtype]
        low, high = max(int(low), least), min(int(high), most)
        return torch.randint(low, high + 1, shape, generator=generator, dtype=torch.int64)
    return torch.rand(shape, generator=generator) * (high - low) + low


def _with_extremes(values: torch.Tensor, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed + 1)
    extremes = torch.tensor([torch.inf, -torch.inf, 0.0, -0.0, 1e30, -1e30, 1e-30])
    there = torch.rand(values.shape, generator=generator) < 0.05
    return torch.where(there, extremes[torch.randint(7, values.shape, generator=generator)], values)


def is_tame(values: torch.Tensor) -> bool:
    """Finite, and not so large that squares overflow."""
    return bool((values.abs() < 1e4).all())


def _sharded(kind: str, columns: int, rows: int, shard: Shape) -> ttnn.MemoryConfig:
    box = ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(columns - 1, rows - 1))
    if columns > 8:
        return ttnn.L1_MEMORY_CONFIG
    spec = ttnn.ShardSpec(ttnn.CoreRangeSet([box]), list(shard), ttnn.ShardOrientation.ROW_MAJOR)
    layout = getattr(ttnn.TensorMemoryLayout, f"{kind}_SHARDED")
    return ttnn.MemoryConfig(layout, ttnn.BufferType.L1, spec)


def _cut(size: int, unit: int) -> int:
    return -(-size // unit)


def _up(size: int, unit: int) -> int:
    return _cut(size, unit) * unit
