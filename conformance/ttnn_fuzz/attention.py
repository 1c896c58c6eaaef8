"""Attention of sequences and of one new position, and the caches it reads."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from conformance.ttnn_fuzz.draw import Draw, plain
from conformance.ttnn_fuzz.elementwise import described
from conformance.ttnn_fuzz.step import Step
from tilesmith import ttnn


def prefill(draw: Draw, _: ttnn.Tensor) -> Step:
    batch, groups, kept = draw.rng.randint(1, 2), draw.rng.choice((1, 2)), draw.rng.choice((1, 2))
    length, size = draw.rng.choice((32, 64)), draw.rng.choice((32, 64))
    causal = draw.chance(0.5)
    other = length if causal else draw.rng.choice((32, 96))
    q = _tiles(draw, batch, kept * groups, length, size)
    k, v = (_tiles(draw, batch, kept, other, size) for _ in range(2))
    scale = draw.rng.choice((None, 0.1, 1.0))
    return Step(
        "linear",
        f"ttnn.transformer.scaled_dot_product_attention({', '.join(map(described, (q, k, v)))}, "
        f"is_causal={causal}, scale={scale})",
        lambda: ttnn.transformer.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale),
        lambda: scaled_dot_product_attention(
            plain(q), plain(k), plain(v), is_causal=causal, scale=scale, enable_gqa=True
        ),
        ("bfloat16",),
    )


def new_position(draw: Draw, _: ttnn.Tensor) -> Step:
    batch, kept, groups = draw.rng.randint(1, 3), draw.rng.choice((1, 2)), draw.rng.choice((1, 4))
    length, size = draw.rng.choice((32, 64, 128)), draw.rng.choice((32, 64))
    q = _tiles(draw, 1, batch, kept * groups, size)
    k, v = (_tiles(draw, batch, kept, length, size) for _ in range(2))
    at = [draw.rng.randrange(length) for _ in range(batch)]

    def wanted() -> torch.Tensor:
        rows = [
            scaled_dot_product_attention(
                plain(q)[0, user, :, None],
                plain(k)[user, :, : last + 1],
                plain(v)[user, :, : last + 1],
                enable_gqa=True,
            )[:, 0]
            for user, last in enumerate(at)
        ]
        return torch.stack(rows)[None]

    return Step(
        "linear",
        f"ttnn.transformer.scaled_dot_product_attention_decode({', '.join(map(described, (q, k, v)))}, "
        f"cur_pos={at})",
        lambda: ttnn.transformer.scaled_dot_product_attention_decode(q, k, v, cur_pos=at),
        wanted,
        ("bfloat16",),
    )


def cache(draw: Draw, _: ttnn.Tensor) -> Step:
    """What was in the cache stays, but for what is written."""
    batch, heads, length, size = (
        draw.rng.randint(1, 3),
        draw.rng.choice((1, 2)),
        64,
        draw.rng.choice((32, 64)),
    )
    kept = _tiles(draw, batch, heads, length, size)
    wanted = plain(kept).clone()
    if draw.chance(0.5):
        user, rows = draw.rng.randrange(batch), draw.rng.choice((32, 64))
        values = _tiles(draw, 1, heads, rows, size)
        wanted[user, :, :rows] = plain(values)[0]
        text = f"ttnn.fill_cache({described(kept)}, {described(values)}, {user})"
        return _written(text, kept, wanted, lambda: ttnn.fill_cache(kept, values, user))
    position = draw.rng.randrange(length)
    values = _tiles(draw, 1, heads, batch, size)
    wanted[:, :, position] = plain(values)[0].transpose(0, 1)
    text = f"ttnn.update_cache({described(kept)}, {described(values)}, {position})"
    return _written(text, kept, wanted, lambda: ttnn.update_cache(kept, values, position))


def _written(text: str, kept: ttnn.Tensor, wanted: torch.Tensor, write: Any) -> Step:
    def call() -> ttnn.Tensor:
        write()
        return kept

    return Step("cache", text, call, lambda: wanted, ("bfloat16",), moves=True)


def _tiles(draw: Draw, *shape: int) -> ttnn.Tensor:
    return draw.tensor(shape, "bfloat16", layout=ttnn.TILE_LAYOUT, interleaved=True)
