"""What attention computes, with torch tensors: scores, masks, and caches in pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.hosted.paged_view import check_geometry, seen_as, whole_tiles

NOTHING = float("-inf")


@dataclass(kw_only=True)
class PagedCacheGeometryOverride:
    """Another shape in which a paged cache is read: its block size and number of heads."""

    block_size: int = 0
    num_kv_heads: int = 0


def attend(
    q: Any,
    k: Any,
    v: Any,
    mask: Any = None,
    scale: float | None = None,
    sink: Any = None,
) -> Any:
    """softmax(scale (q k^T) + mask) v, heads of k and v repeated; `sink` is one more score for each head."""
    import torch

    # Values may have more heads than keys: latent attention has one key for all.
    k, v = (one.repeat_interleave(q.shape[1] // one.shape[1], 1) for one in (k, v))
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    scores = q @ k.transpose(-1, -2) * factor
    if mask is not None:
        scores = scores + mask
    if sink is not None:
        column = (sink * factor).expand(*scores.shape[:-1], 1)
        return torch.softmax(torch.cat([scores, column], -1), -1)[..., :-1] @ v
    # A row that may look at nothing gives zeros. NaN of the inputs stays NaN.
    looks_nowhere = (scores == NOTHING).all(-1, keepdim=True)
    return torch.softmax(scores, -1).masked_fill(looks_nowhere, 0.0) @ v


def allowed(rows: int, columns: int, first: int, causal: bool, window: int | None) -> Any:
    """0 where row i, at position first + i, may look at column j; minus infinity elsewhere."""
    import torch

    at = torch.arange(rows)[:, None] + first
    column = torch.arange(columns)[None, :]
    fine = torch.ones(rows, columns, dtype=torch.bool)
    if causal:
        fine &= column <= at
    if window:
        fine &= column > at - window if causal else (column - at).abs() <= window // 2
    return torch.zeros(rows, columns).masked_fill(~fine, NOTHING)


def sink_column(values: Any) -> Any:
    """(1, heads, 1, 1): the first column of what is given."""
    return None if values is None else values.reshape(-1, values.shape[-1])[:, :1].reshape(1, -1, 1, 1)


def from_pages(
    cache: Any, table: Any, geometry: PagedCacheGeometryOverride | None = None, size: int = 0
) -> Any:
    """Blocks (number, heads, rows, size) by a table (batch, blocks), as (batch, heads, length, size).

    With a geometry the rows are of the query's `size`, in whole tiles; the tiles of a block keep their order.
    """
    import torch

    if geometry is not None and (geometry.block_size or geometry.num_kv_heads):
        fatal(geometry.block_size > 0, "PagedCacheGeometryOverride.block_size must be > 0")
        fatal(geometry.num_kv_heads > 0, "PagedCacheGeometryOverride.num_kv_heads must be > 0")
        view = (geometry.num_kv_heads, geometry.block_size, whole_tiles(size))
        check_geometry("paged_scaled_dot_product_attention_decode", cache, view)
        cache = seen_as(cache, view)[..., :size]
    blocks = cache[table.long().clamp(min=0)]
    batch, count, heads, rows, size = blocks.shape
    result: torch.Tensor = blocks.permute(0, 2, 1, 3, 4).reshape(batch, heads, count * rows, size)
    return result
