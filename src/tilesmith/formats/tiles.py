"""Arrays to tiles and back, bit for bit as the chip keeps them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilesmith.errors import FormatError
from tilesmith.formats import bindings
from tilesmith.formats.codecs import Rounding, codec_of, prepare
from tilesmith.formats.data_format import DataFormat, TileShape, exponent_bytes, tile_bytes

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]

_DEFAULT_TILE = TileShape()
_CACHE_LINE = 64


def pack_tiles(
    array: Array, format: DataFormat, tile: TileShape = _DEFAULT_TILE, rounding: Rounding = "host"
) -> Bytes:
    """Tiles [count, bytes] of an array [..., H, W], row by row; H and W are multiples of the tile's.

    `rounding` is how values are narrowed: as the vendor's host code does, or as the chip's packer does from
    32-bit DST.
    """
    shape = _checked(array.shape, tile)
    source, codec = prepare(array, format, rounding)
    tiles = _aligned_empty(math.prod(shape) // tile.datums, tile_bytes(format, tile))
    used = tile.num_faces * tile.face_rows
    if used < exponent_bytes(format, tile):
        tiles[:, used : exponent_bytes(format, tile)] = 0
    if tiles.size:
        store = bindings.function(codec, f"ts_tile{codec.stored_with(rounding)}")
        bindings.by_bands(store, source.reshape(-1, shape[-1]), tiles, format, tile)
    return tiles


def unpack_tiles(
    tiles: Bytes, format: DataFormat, shape: Sequence[int], tile: TileShape = _DEFAULT_TILE
) -> Array:
    """The array of `shape` [..., H, W] that `tiles` hold: float32, or the integer type of the format."""
    shape = _checked(tuple(shape), tile)
    codec = codec_of(format)
    flat = np.ascontiguousarray(tiles).reshape(-1).view(np.uint8)
    size, count = tile_bytes(format, tile), math.prod(shape) // tile.datums
    if flat.size != count * size:
        raise FormatError(
            f"{flat.size} bytes are not {count} tiles of {format.name}",
            where=f"shape {shape}, tile {tile.rows}x{tile.cols}",
            remedy=f"{count} tiles of {size} bytes are {count * size} bytes",
        )
    array = np.empty(shape, codec.values)
    if array.size:
        load = bindings.function(codec, "ts_untile")
        rows, held = array.reshape(-1, shape[-1]), flat.reshape(count, size)
        bindings.by_bands(lambda shape, rows, tiles: load(shape, tiles, rows), rows, held, format, tile)
    return array


def _checked(shape: tuple[int, ...], tile: TileShape) -> tuple[int, ...]:
    if len(shape) < 2 or shape[-2] % tile.rows or shape[-1] % tile.cols:
        raise FormatError(
            f"an array of shape {shape} is not made of {tile.rows}x{tile.cols} tiles",
            remedy="pad the last two dimensions to multiples of the tile's",
        )
    return shape


def _aligned_empty(count: int, size: int) -> Bytes:
    """Tiles that start on a cache line, so that a run of datums is not split between two."""
    buffer = np.empty(count * size + _CACHE_LINE, np.uint8)
    start = -buffer.ctypes.data % _CACHE_LINE
    return buffer[start : start + count * size].reshape(count, size)
