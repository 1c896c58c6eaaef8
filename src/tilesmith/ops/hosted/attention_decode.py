"""Attention of one new position for each of a batch, also over caches in pages, and latent attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.ops.framework import registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.hosted.attention_reference import (
    NOTHING,
    PagedCacheGeometryOverride,
    allowed,
    attend,
    from_pages,
    sink_column,
)
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.program_configs import SDPAProgramConfig
from tilesmith.ops.tensor import Tensor


def _decode(
    name: str,
    q: Tensor,
    k: Tensor,
    v: Tensor | None,
    *,
    head_dim_v: int | None = None,
    table: Tensor | None = None,
    is_causal: bool = True,
    attn_mask: Tensor | None = None,
    cur_pos: Sequence[int] = (),
    cur_pos_tensor: Tensor | None = None,
    attention_sink: Tensor | None = None,
    scale: float | None = None,
    sliding_window_size: int | None = None,
    memory_config: MemoryConfig | None = None,
    geometry: PagedCacheGeometryOverride | None = None,
    modulo: int | None = None,
    share_cache: bool = False,
) -> Tensor:
    """One new position for each of a batch: q is (1, batch, heads, size)."""
    import torch

    def compute(q: Any, k: Any, v: Any, table: Any, mask: Any, positions: Any, sink: Any) -> Any:
        keys, values = (
            cache if cache is None or table is None else from_pages(cache, table, geometry, q.shape[-1])
            for cache in (k, v)
        )
        values = keys[..., :head_dim_v] if values is None else values
        heads = q.permute(1, 2, 0, 3)  # (batch, heads, 1, size)
        batch = heads.shape[0]
        if share_cache and keys.shape[0] == 1:
            keys, values = (one.expand(batch, -1, -1, -1) for one in (keys, values))
        own = None
        if is_causal:
            at = positions.flatten().tolist() if positions is not None else list(cur_pos)
            own = torch.stack([_row(int(one), keys.shape[-2], sliding_window_size, modulo) for one in at])
            own = own[:, None, None, :]
        elif mask is not None:
            own = mask.permute(0, 2, 1, 3) if mask.shape[1] == 1 else mask
        found = attend(heads, keys[:batch], values[:batch], own, scale, sink_column(sink))
        return found.permute(2, 0, 1, 3)

    inputs = [q, k, v, table, attn_mask, cur_pos_tensor, attention_sink]
    return on_host(name, compute, inputs, memory_config=memory_config or DRAM_MEMORY_CONFIG)[0]


def _row(position: int, length: int, window: int | None, modulo: int | None) -> Any:
    """What a position may look at. One below zero looks at nothing; with `modulo` the cache is a ring."""
    import torch

    if position < 0:
        return torch.full((length,), NOTHING)
    if modulo is None:
        return allowed(1, length, position, True, window)[0]
    held = torch.arange(length)
    last = position - (position - held) % modulo
    fine = (last >= 0) & (held < modulo)
    if window:
        fine &= last > position - window
    return torch.zeros(length).masked_fill(~fine, NOTHING)


@registered("ttnn.transformer.scaled_dot_product_attention_decode")
def scaled_dot_product_attention_decode(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor,
    *,
    is_causal: bool = True,
    attn_mask: Tensor | None = None,
    cur_pos: Sequence[int] = (),
    cur_pos_tensor: Tensor | None = None,
    attention_sink: Tensor | None = None,
    scale: float | None = None,
    sliding_window_size: int | None = None,
    memory_config: MemoryConfig | None = None,
    program_config: SDPAProgramConfig | None = None,
    compute_kernel_config: object = None,
    share_cache: bool | None = None,
) -> Tensor:
    """Attention of one new position for each of a batch."""
    return _decode(
        "ttnn.transformer.scaled_dot_product_attention_decode",
        input_tensor_q,
        input_tensor_k,
        input_tensor_v,
        is_causal=is_causal,
        attn_mask=attn_mask,
        cur_pos=cur_pos,
        cur_pos_tensor=cur_pos_tensor,
        attention_sink=attention_sink,
        scale=scale,
        sliding_window_size=sliding_window_size,
        memory_config=memory_config,
        share_cache=bool(share_cache),
    )


@registered("ttnn.transformer.paged_scaled_dot_product_attention_decode")
def paged_scaled_dot_product_attention_decode(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor,
    page_table_tensor: Tensor,
    *,
    is_causal: bool = True,
    attn_mask: Tensor | None = None,
    cur_pos_tensor: Tensor | None = None,
    attention_sink: Tensor | None = None,
    scale: float | None = None,
    sliding_window_size: int | None = None,
    memory_config: MemoryConfig | None = None,
    program_config: SDPAProgramConfig | None = None,
    compute_kernel_config: object = None,
    paged_cache_geometry: PagedCacheGeometryOverride | None = None,
    cache_position_modulo: int | None = None,
) -> Tensor:
    """The same over caches in pages."""
    return _decode(
        "ttnn.transformer.paged_scaled_dot_product_attention_decode",
        input_tensor_q,
        input_tensor_k,
        input_tensor_v,
        table=page_table_tensor,
        is_causal=is_causal,
        attn_mask=attn_mask,
        cur_pos_tensor=cur_pos_tensor,
        attention_sink=attention_sink,
        scale=scale,
        sliding_window_size=sliding_window_size,
        memory_config=memory_config,
        geometry=paged_cache_geometry,
        modulo=cache_position_modulo,
    )


@registered("ttnn.transformer.flash_multi_latent_attention_decode")
def flash_multi_latent_attention_decode(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor | None = None,
    head_dim_v: int | None = None,
    *,
    is_causal: bool = True,
    attn_mask: Tensor | None = None,
    cur_pos: Sequence[int] = (),
    cur_pos_tensor: Tensor | None = None,
    attention_sink: Tensor | None = None,
    scale: float | None = None,
    sliding_window_size: int | None = None,
    memory_config: MemoryConfig | None = None,
    program_config: SDPAProgramConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """Latent attention of one new position: values are the first elements of the keys."""
    return _decode(
        "ttnn.transformer.flash_multi_latent_attention_decode",
        input_tensor_q,
        input_tensor_k,
        input_tensor_v,
        head_dim_v=head_dim_v,
        is_causal=is_causal,
        attn_mask=attn_mask,
        cur_pos=cur_pos,
        cur_pos_tensor=cur_pos_tensor,
        attention_sink=attention_sink,
        scale=scale,
        sliding_window_size=sliding_window_size,
        memory_config=memory_config,
    )


@registered("ttnn.transformer.paged_flash_multi_latent_attention_decode")
def paged_flash_multi_latent_attention_decode(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor | None = None,
    head_dim_v: int | None = None,
    page_table_tensor: Tensor | None = None,
    *,
    is_causal: bool = True,
    attn_mask: Tensor | None = None,
    cur_pos_tensor: Tensor | None = None,
    attention_sink: Tensor | None = None,
    scale: float | None = None,
    sliding_window_size: int | None = None,
    memory_config: MemoryConfig | None = None,
    program_config: SDPAProgramConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """The same over a cache in pages."""
    return _decode(
        "ttnn.transformer.paged_flash_multi_latent_attention_decode",
        input_tensor_q,
        input_tensor_k,
        input_tensor_v,
        head_dim_v=head_dim_v,
        table=page_table_tensor,
        is_causal=is_causal,
        attn_mask=attn_mask,
        cur_pos_tensor=cur_pos_tensor,
        attention_sink=attention_sink,
        scale=scale,
        sliding_window_size=sliding_window_size,
        memory_config=memory_config,
    )
