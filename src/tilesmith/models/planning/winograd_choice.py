"""Which form a convolution of 3x3 windows takes: the one that should take least.

What decides on these chips is not the matrix unit. Rows of pixels are read and written in runs of 16 values,
and each run costs the RISC that asks for it: the direct form reads every pixel nine times for each block of
filters, Winograd's read it a few times for all filters, but run six kernels.
"""

from __future__ import annotations

from math import ceil

from tilesmith.models.planning.views import TILE

_SIZES = {"direct": 0, "winograd2": 2, "winograd4": 4}
_CORES = 64
_WIDE = 64
_RUN = 70
"""Cycles of a run of 16 values, asked for or stored."""
_TILES = 400
"""Cycles of a row of tiles of a block, brought or stored."""
_PRODUCTS = 1500
"""Cycles of a product of 64 x 64 by 64 x 64, with its operands."""
_STEP = 10500
"""Cycles of a tap of a block of 64 pixels and 64 channels in the direct form: 256 runs, and the product."""
_COPIED, _MULTIPLIED, _PACKED, _FINISHED = 110, 95, 100, 600
"""Cycles of a tile that is gathered and tilized, multiplied at HiFi4, added to the sum, and finished."""
_RECTANGLES = 0.43
"""What the kernels of Winograd's form take of that where their products run on rectangles of cores."""
_BEGIN = 40000
_LAUNCH = 5000


def tile_size(
    asked: str, batch: int, height: int, width: int, channels: int, filters: int, held: bool = False
) -> int:
    """The size of Winograd's tiles, or 0 for the direct form. Tiles of 4 round more: they must be asked for.

    With `held` the direct form keeps its pixels in L1, and the products of Winograd's run on rectangles.

    >>> tile_size("winograd4", 1, 8, 8, 32, 32), tile_size("auto", 1, 56, 56, 64, 64)
    (4, 0)
    >>> tile_size("auto", 1, 32, 32, 1280, 1280), tile_size("auto", 1, 32, 32, 640, 640, held=True)
    (2, 0)
    """
    if asked != "auto":
        return _SIZES[asked]
    count = held_cycles if held else direct_cycles
    direct = count(batch * height * width, channels, filters)
    winograd = winograd_cycles(2, batch, height, width, channels, filters) * (_RECTANGLES if held else 1.0)
    return 2 if winograd < direct else 0


def held_cycles(pixels: int, channels: int, filters: int) -> float:
    """The direct form with its pixels in L1: each row of tiles is copied, multiplied and packed for each tap.

    >>> held_cycles(56 * 56, 64, 64) < direct_cycles(56 * 56, 64, 64) / 2
    True
    """
    rows, deep, wide = (ceil(size / TILE) for size in (pixels, channels, filters))
    shares = max(1, min(8, _CORES // rows))  # of the filters, where rows are too few for all cores
    mine = ceil(wide / shares)
    row = 9 * (deep * _COPIED + deep * mine * _MULTIPLIED + mine * _PACKED) + mine * _FINISHED
    return _turns(rows * shares) * float(row) + _BEGIN / 4


def direct_cycles(pixels: int, channels: int, filters: int) -> float:
    """
    >>> direct_cycles(56 * 56, 64, 64)
    134500.0
    """
    rows, steps = 2 * TILE, 9 * ceil(channels / _WIDE)
    return _turns(ceil(pixels / rows) * ceil(filters / _WIDE)) * float(steps * _STEP) + _BEGIN


def winograd_cycles(size: int, batch: int, height: int, width: int, channels: int, filters: int) -> float:
    """The six kernels of F(size x size, 3x3), one after the other."""
    places, down = size + 2, ceil(height / size)
    tiles = ceil(batch * down * ceil(width / size) / TILE)
    deep, wide = ceil(channels / _WIDE), ceil(filters / _WIDE)
    runs = TILE * (_WIDE // 16) * _RUN
    kernels = (
        (ceil(batch * down * width / TILE) * deep, 2 * places * runs),
        (places * tiles * deep, places * (runs + _TILES)),
        (places**2 * ceil(tiles / 2) * wide, deep * _PRODUCTS),
        (places * tiles * wide, (places + size) * _TILES),
        (size * tiles * wide, places * _TILES + 2 * size * runs),  # float32
        (ceil(batch * height * width / TILE) * wide, 3 * runs),
    )
    return sum(_turns(blocks) * cycles + _LAUNCH for blocks, cycles in kernels)


def _turns(blocks: int) -> int:
    return ceil(blocks / _CORES)
