"""One call of grid_sample: everything that can be chosen about it, and how exact it has to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle, product
from typing import Literal

from tilesmith.formats import DataFormat
from tilesmith.testing import Tolerance

Mode = Literal["nearest", "bilinear"]
Padding = Literal["zeros", "border", "reflection"]
Memory = Literal["dram", "l1", "shards"]
Output = Literal["", "dram", "l1", "shards", "shards by column"]
Coordinates = Literal["random", "halfway", "identity", "far", "not finite"]


@dataclass(frozen=True)
class Size:
    """Images of `height` x `width` pixels, and a grid of `grid_height` x `grid_width` rows for each."""

    images: int
    height: int
    width: int
    channels: int
    grid_height: int
    grid_width: int

    @property
    def rows(self) -> int:
        return self.images * self.grid_height * self.grid_width


SIZES = (
    Size(1, 8, 8, 32, 6, 6),
    Size(2, 7, 9, 64, 5, 7),
    Size(1, 1, 1, 32, 3, 3),
    Size(3, 5, 1, 32, 1, 1),
    Size(1, 13, 17, 96, 11, 13),
    Size(2, 4, 4, 256, 9, 8),
    Size(1, 3, 5, 288, 7, 3),
    Size(5, 2, 31, 32, 1, 33),
    Size(1, 33, 1, 64, 31, 1),
    Size(1, 6, 6, 32, 64, 16),
    Size(1, 16, 16, 128, 1, 129),
    Size(7, 3, 3, 32, 3, 3),
)


@dataclass(frozen=True)
class Case:
    """A call. `sets` points in each row of the grid; `joined` puts their channels side by side."""

    size: Size = SIZES[1]
    mode: Mode = "nearest"
    padding: Padding = "zeros"
    align_corners: bool = False
    prepared: bool = False
    image_type: DataFormat = DataFormat.Float16_b
    grid_type: DataFormat = DataFormat.Float32
    image_memory: Memory = "dram"
    grid_memory: Memory = "dram"
    output: Output = ""
    sets: int = 1
    joined: bool = False
    wide: bool = False  # sums are kept in float32
    coordinates: Coordinates = "random"
    arch: str = "wormhole"

    @property
    def points(self) -> int:
        return self.size.rows * self.sets

    def tolerance(self, peak_ratio: float) -> Tolerance:
        """Nearest is exact. `peak_ratio` is the image's largest value over the result's.

        Bilinear errs by the rounding of the shares, by what the matrix unit cuts off the image, and, with
        16-bit sums, by a rounding for each of its four phases: all relative to the largest pixel. Packing
        rounds float32 sums to bf16 once more.
        """
        if self.mode == "nearest":
            return Tolerance.of(DataFormat.Int32)
        float32 = self.image_type is DataFormat.Float32
        if not self.wide:
            cut = _TRUNCATED_BF16 if float32 else 0.0
            return Tolerance(0.0, peak_ratio * (cut + 5 * _ROUNDED_BF16), 0.9998)
        if float32:
            share = _ROUNDED_BF16 if self.prepared else _TRUNCATED_TF32
            return Tolerance(0.0, peak_ratio * (_TRUNCATED_TF32 + share), 0.9999)
        return Tolerance(_ROUNDED_BF16, peak_ratio * _ROUNDED_BF16, 0.9999)


_ROUNDED_BF16, _TRUNCATED_BF16, _TRUNCATED_TF32 = 2.0**-9, 2.0**-7, 2.0**-10


def all_cases() -> list[Case]:
    """Every option against those it could get in the way of."""
    return list(
        dict.fromkeys(
            [
                *_modes_and_types(),
                *_prepared(),
                *_memories(),
                *_outputs(),
                *_sizes(),
                *_sums(),
                *_coordinates(),
                *_blackhole(),
            ]
        )
    )


_MODES: tuple[Mode, ...] = ("nearest", "bilinear")
_PADDINGS: tuple[Padding, ...] = ("zeros", "border", "reflection")
_MEMORIES: tuple[Memory, ...] = ("dram", "l1", "shards")
_TYPES = (DataFormat.Float16_b, DataFormat.Float32)
_BOTH = (False, True)


def _modes_and_types() -> Iterator[Case]:
    sizes = cycle(SIZES)
    for mode, padding, align, image, grid in product(_MODES, _PADDINGS, _BOTH, _TYPES, _TYPES):
        yield Case(next(sizes), mode, padding, align, image_type=image, grid_type=grid)


def _prepared() -> Iterator[Case]:
    sizes = cycle(SIZES)
    for mode, padding, align, image in product(_MODES, _PADDINGS, _BOTH, _TYPES):
        yield Case(next(sizes), mode, padding, align, prepared=True, image_type=image)


def _memories() -> Iterator[Case]:
    for image, grid, mode, prepared in product(_MEMORIES, _MEMORIES, _MODES, _BOTH):
        case = Case(mode=mode, prepared=prepared, image_memory=image, grid_memory=grid)
        yield case
        yield from (replace(case, sets=3, joined=joined) for joined in _BOTH)


def _outputs() -> Iterator[Case]:
    asked: tuple[Output, ...] = ("dram", "l1", "shards", "shards by column")
    for output, mode, size in product(asked, _MODES, SIZES[:3]):
        yield Case(size, mode, output=output, sets=2)
        yield Case(size, mode, output=output, sets=2, joined=True)
    for output, mode in product(asked, _MODES):
        yield Case(SIZES[0], mode, output=output, grid_memory="shards")


def _sizes() -> Iterator[Case]:
    for size, mode, memory in product(SIZES, _MODES, _MEMORIES[::2]):
        yield Case(size, mode, grid_memory=memory, image_memory=memory)
        yield Case(size, mode, grid_memory=memory, sets=5, grid_type=DataFormat.Float16_b)


def _sums() -> Iterator[Case]:
    for channels, image, wide, memory in product((32, 96, 160, 288, 512), _TYPES, _BOTH, _MEMORIES[::2]):
        size = Size(1, 6, 5, channels, 4, 9)
        yield Case(size, "bilinear", image_type=image, wide=wide, grid_memory=memory)


def _coordinates() -> Iterator[Case]:
    kinds: tuple[Coordinates, ...] = ("halfway", "identity", "far", "not finite")
    for kind, mode, padding, align in product(kinds, _MODES, _PADDINGS, _BOTH):
        yield Case(SIZES[4], mode, padding, align, coordinates=kind)


def _blackhole() -> Iterator[Case]:
    for mode, prepared, memory in product(_MODES, _BOTH, _MEMORIES):
        yield Case(
            SIZES[1],
            mode,
            prepared=prepared,
            grid_memory=memory,
            image_memory=memory,
            sets=2,
            arch="blackhole",
        )
