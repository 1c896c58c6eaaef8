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

from tilesmith.formats.codecs import CODECS, Codec
from tilesmith.formats.data_format import DataFormat, TileShape, exponent_bytes, tile_bytes
from tilesmith.toolchain import compile_shared

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


@lru_cache(maxsize=64)
def function(codec: Codec, name: str) -> Any:
    """A function of the codec's library: (shape, in, out) for tiles, (count, in, out) for rows."""
    found = getattr(_library(codec.source, codec.bits), name)
    found.restype = None
    counted = name.startswith(("ts_row", "ts_unrow"))
    found.argtypes = [ctypes.c_int64 if counted else ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return found


def by_bands(
    convert: Callable[[Any, int, int], None], rows: Array, tiles: Array, format: DataFormat, tile: TileShape
) -> None:
    """Call convert(shape, address in `rows` [H, W], address in `tiles` [count, bytes]) until all is done.

    Rows of tiles are independent: large arrays are shared among threads (ctypes lets go of the GIL).
    """
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


os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork, the pool object would


def compile_all() -> None:
    """Every conversion, for a package that brings them compiled."""
    for source, bits in sorted({(codec.source, codec.bits) for codec in CODECS.values()}):
        _library(source, bits)


@lru_cache(maxsize=16)
def _library(source: str, bits: int) -> ctypes.CDLL:
    flags = (*_FLAGS, f"-DBITS={bits}")
    return ctypes.CDLL(str(compile_shared([_NATIVE / source], [_NATIVE], flags, bare=True)))
