"""The compiled conversions, each library built and loaded the first time one of its functions is used."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy.typing as npt

from tilesmith.formats.data_format import DataFormat, TileShape, exponent_bytes, tile_bytes
from tilesmith.native import compile_shared

Array = npt.NDArray[Any]

_NATIVE = Path(__file__).parent / "native"
_FLAGS = ("-O2", "-ftree-vectorize", "-march=native")
_PARALLEL_FROM = 1 << 20  # datums; below this a thread costs more than it gains
_THREADS = min(4, os.cpu_count() or 1)


class _Shape(ctypes.Structure):
    _fields_ = [
        ("rows", ctypes.c_int64),
        ("cols", ctypes.c_int64),
        ("tile_rows", ctypes.c_int64),
        ("tile_cols", ctypes.c_int64),
        ("tile_bytes", ctypes.c_int64),
        ("exponent_bytes", ctypes.c_int64),
    ]


def to_tiles(name: str, rows: Array, tiles: Array, format: DataFormat, tile: TileShape) -> None:
    """Fill `tiles` [count, bytes] from a 2-D array."""
    convert = _function(name, f"ts_tile_{name}")
    _by_bands(rows, tiles, format, tile, convert)


def from_tiles(name: str, tiles: Array, rows: Array, format: DataFormat, tile: TileShape) -> None:
    """Fill a 2-D array from `tiles` [count, bytes]."""
    convert = _function(name, f"ts_untile_{name}")
    _by_bands(rows, tiles, format, tile, lambda shape, r, t: convert(shape, t, r))


def convert_rows(name: str, count: int, source: Array, target: Array) -> None:
    """Convert datum by datum."""
    _function(name, f"ts_row_{name}")(count, source.ctypes.data, target.ctypes.data)


def _by_bands(
    rows: Array, tiles: Array, format: DataFormat, tile: TileShape, convert: Callable[[Any, int, int], None]
) -> None:
    """Rows of tiles are independent: large arrays are shared among threads (ctypes lets go of the GIL)."""
    height, width = rows.shape
    bands, across = height // tile.rows, width // tile.cols
    sizes = (tile.rows, tile.cols, tile_bytes(format, tile), exponent_bytes(format, tile))
    parts = min(_THREADS, bands) if rows.size >= _PARALLEL_FROM else 1

    def part(index: int) -> None:
        first, last = bands * index // parts, bands * (index + 1) // parts
        shape = _Shape((last - first) * tile.rows, width, *sizes)
        convert(
            ctypes.byref(shape),
            rows.ctypes.data + first * tile.rows * rows.strides[0],
            tiles.ctypes.data + first * across * tiles.strides[0],
        )

    if parts == 1:
        part(0)
    else:
        list(_pool().map(part, range(parts)))


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="tilesmith-formats")


@lru_cache(maxsize=64)
def _function(name: str, symbol: str) -> Any:
    function = getattr(_library(_SOURCE_OF.get(name[:4], "plain.cpp")), symbol)
    function.restype = None
    row_wise = symbol.startswith("ts_row_")
    function.argtypes = [ctypes.c_int64 if row_wise else ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return function


_SOURCE_OF = {"fp16": "half.cpp", "bfp8": "block.cpp", "bfp4": "block.cpp", "bfp2": "block.cpp"}


@lru_cache(maxsize=8)
def _library(source: str) -> ctypes.CDLL:
    return ctypes.CDLL(str(compile_shared([_NATIVE / source], [_NATIVE], _FLAGS)))
