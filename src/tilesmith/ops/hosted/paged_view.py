"""Blocks of a paged cache, read in another geometry than the one they were made in."""

from __future__ import annotations

from math import prod
from typing import Any

from tilesmith.ops.checks import fatal

TILE = 32

Geometry = tuple[int, int, int]
"""Of a block of a paged cache: heads, rows, and elements of a row."""


def check_geometry(name: str, cache: Any, view: Geometry) -> None:
    own = tuple(cache.shape[1:])
    fatal(
        prod(own) == prod(view),
        f"{name} geometry mismatch: cache has {prod(own)} elems/block (kv_heads={own[0]},"
        f" block_size={own[1]}, head_dim={own[2]}) but input view is {prod(view)}"
        f" (kv_heads={view[0]}, block_size={view[1]}, head_dim={view[2]}).",
    )


def seen_as(cache: Any, view: Geometry) -> Any:
    """Blocks in another geometry: the tiles of a block keep their order, and are dealt out anew."""
    blocks, heads, rows, size = cache.shape
    if (heads, rows, size) == view:
        return cache
    fatal(
        not any(one % TILE for one in (rows, size, *view[1:])),
        f"tilesmith: blocks of {rows} x {size} are seen as {view[1]} x {view[2]}, which are not whole tiles",
    )
    tiles = cache.reshape(blocks, heads, rows // TILE, TILE, size // TILE, TILE).transpose(3, 4)
    heads, rows, size = view
    tiles = tiles.reshape(blocks, heads, rows // TILE, size // TILE, TILE, TILE)
    return tiles.transpose(3, 4).reshape(blocks, heads, rows, size)


def whole_tiles(size: int) -> int:
    return -(-size // TILE) * TILE
