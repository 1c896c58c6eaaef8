"""Functions of packages that are not installed, in torch: what examples prepare inputs or compare with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


@torch.no_grad()
def normalised(x: torch.Tensor, eps: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of length one, and by what they were multiplied."""
    scale = torch.rsqrt(x.float().square().sum(-1, keepdim=True) + eps)
    return (x * scale).to(x.dtype), scale.squeeze(-1)


def attention_of_lengths(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, starts_q: torch.Tensor, starts_k: torch.Tensor,
    *_: Any, causal: bool = False, softmax_scale: float | None = None, **__: Any,
) -> torch.Tensor:  # fmt: skip
    """Attention of sequences laid end to end; a causal mask ends at the last query and the last key."""
    out = torch.empty_like(q)
    group = q.shape[1] // k.shape[1]
    bounds = zip(
        starts_q.tolist(), starts_q.tolist()[1:], starts_k.tolist(), starts_k.tolist()[1:], strict=False
    )
    for begin_q, end_q, begin_k, end_k in bounds:
        queries = q[begin_q:end_q].transpose(0, 1).float()
        keys = k[begin_k:end_k].repeat_interleave(group, 1).transpose(0, 1).float()
        values = v[begin_k:end_k].repeat_interleave(group, 1).transpose(0, 1).float()
        mask = torch.ones(end_q - begin_q, end_k - begin_k, dtype=torch.bool)
        mask = mask.tril(mask.shape[1] - mask.shape[0]) if causal else mask
        found = torch.nn.functional.scaled_dot_product_attention(
            queries, keys, values, mask, scale=softmax_scale
        )
        out[begin_q:end_q] = found.nan_to_num().transpose(0, 1).to(q.dtype)
    return out


def attention_with_cache(
    q: torch.Tensor, k_cache: torch.Tensor, v_cache: torch.Tensor, *,
    cache_seqlens: torch.Tensor, block_table: torch.Tensor | None = None, **__: Any,
) -> torch.Tensor:  # fmt: skip
    """Attention over the first keys of a cache, which may lie in pages of a common store."""
    out = torch.empty_like(q)
    for at, length in enumerate(cache_seqlens.tolist()):
        pages = slice(at, at + 1) if block_table is None else block_table[at].long()
        keys, values = (cache[pages].flatten(0, 1)[:length] for cache in (k_cache, v_cache))
        ends = torch.tensor([0, q.shape[1]]), torch.tensor([0, length])
        out[at] = attention_of_lengths(q[at], keys, values, *ends)
    return out


def places_in_sequences(starts: torch.Tensor) -> torch.Tensor:
    """For every token, the number of its sequence and its place there."""
    lengths = starts.diff().tolist()
    rows = [torch.tensor([[number, at] for at in range(n)]) for number, n in enumerate(lengths) if n]
    return torch.cat(rows).to(starts)


def as_it_is(function: Any) -> Any:
    """A decorator for devices that are not here."""
    return function


KNOWN: dict[str, Callable[..., Any] | str] = {
    "fla.__version__": "0.3.0",
    "fla.modules.l2norm.l2norm_fwd": normalised,
    "fla.ops.utils.prepare_token_indices": places_in_sequences,
    "fla.utils.autocast_custom_fwd": as_it_is,
    "fla.utils.autocast_custom_bwd": as_it_is,
    "fla.utils.contiguous": as_it_is,
    "flash_attn.flash_attn_varlen_func": attention_of_lengths,
    "flash_attn.flash_attn_with_kvcache": attention_with_cache,
}
"""By their full names."""
