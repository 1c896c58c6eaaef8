"""Attention: prefill, chunked, decode, with caches in pages, and latent attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.framework import register, registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.program_configs import SDPAProgramConfig, check_config
from tilesmith.ops.tensor import Tensor

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

    times = q.shape[1] // k.shape[1]
    k, v = (one.repeat_interleave(times, 1) for one in (k, v))
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    scores = q @ k.transpose(-1, -2) * factor
    if mask is not None:
        scores = scores + mask
    if sink is not None:
        column = (sink * factor).expand(*scores.shape[:-1], 1)
        return torch.softmax(torch.cat([scores, column], -1), -1)[..., :-1] @ v
    weights = torch.softmax(scores, -1)
    return torch.nan_to_num(weights) @ v


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


def _sink(values: Any) -> Any:
    """(1, heads, 1, 1): the first column of what is given."""
    return None if values is None else values.reshape(-1, values.shape[-1])[:, :1].reshape(1, -1, 1, 1)


def _windows(bounds: Any, rows: int) -> Any:
    """Each position sees those of its own window."""
    import torch

    which = torch.searchsorted(bounds.flatten(), torch.arange(rows), right=True)
    return torch.zeros(rows, rows).masked_fill(which[:, None] != which[None, :], NOTHING)


def _prefill_golden(
    q: Any, k: Any, v: Any, *, attn_mask: Any = None, is_causal: bool = True, **options: Any
) -> Any:
    mask = (
        allowed(q.shape[-2], k.shape[-2], 0, True, options.get("sliding_window_size"))
        if is_causal
        else attn_mask
    )
    return attend(q.float(), k.float(), v.float(), mask, options.get("scale"))


@registered("ttnn.transformer.scaled_dot_product_attention", golden=_prefill_golden)
def scaled_dot_product_attention(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor,
    *,
    attn_mask: Tensor | None = None,
    is_causal: bool = True,
    scale: float | None = None,
    sliding_window_size: int | None = None,
    memory_config: MemoryConfig | None = None,
    program_config: SDPAProgramConfig | None = None,
    compute_kernel_config: object = None,
    attention_sink: Tensor | None = None,
    cu_window_seqlens: Tensor | None = None,
) -> Tensor:
    """Attention over (batch, heads, length, size)."""
    check_config(program_config, (SDPAProgramConfig,), "ttnn.transformer.scaled_dot_product_attention")
    fatal(
        not (is_causal and attn_mask is not None),
        "is_causal and attn_mask cannot both be set. Got is_causal: true, attn_mask: set",
    )
    _check_heads(input_tensor_q, input_tensor_k, input_tensor_v)

    def compute(q: Any, k: Any, v: Any, mask: Any, sink: Any, bounds: Any) -> Any:
        own = None
        if bounds is not None:
            own = _windows(bounds, q.shape[-2])
        elif is_causal or sliding_window_size:
            own = allowed(q.shape[-2], k.shape[-2], 0, is_causal, sliding_window_size)
        both = own if mask is None else mask if own is None else mask + own
        return attend(q, k, v, both, scale, _sink(sink))

    inputs = [input_tensor_q, input_tensor_k, input_tensor_v, attn_mask, attention_sink, cu_window_seqlens]
    name = "ttnn.transformer.scaled_dot_product_attention"
    return on_host(name, compute, inputs, memory_config=memory_config or DRAM_MEMORY_CONFIG)[0]


def _check_heads(q: Tensor, k: Tensor, v: Tensor) -> None:
    for tensor in (q, k, v):
        fatal(len(tensor.spec.shape) == 4, f"Attention takes tensors of four axes, got {tensor.shape}")
    heads, kv = q.spec.shape[1], k.spec.shape[1]
    fatal(heads % kv == 0, f"Q num_heads must be divisible by K num_heads. Got Q: {heads}, K: {kv}")


def from_pages(cache: Any, table: Any, geometry: PagedCacheGeometryOverride | None = None) -> Any:
    """Blocks (number, heads, rows, size) by a table (batch, blocks), as (batch, heads, length, size)."""
    import torch

    if geometry is not None and (geometry.block_size or geometry.num_kv_heads):
        heads = geometry.num_kv_heads or cache.shape[1]
        rows = geometry.block_size or cache.shape[2]
        cache = cache.reshape(cache.shape[0], heads, rows, -1)
    blocks = cache[table.long().clamp(min=0)]
    batch, count, heads, rows, size = blocks.shape
    result: torch.Tensor = blocks.permute(0, 2, 1, 3, 4).reshape(batch, heads, count * rows, size)
    return result


@registered("ttnn.transformer.chunked_scaled_dot_product_attention")
def chunked_scaled_dot_product_attention(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor,
    page_table_tensor: Tensor,
    chunk_start_idx: int | None = None,
    *,
    chunk_start_idx_tensor: Tensor | None = None,
    scale: float | None = None,
    memory_config: MemoryConfig | None = None,
    program_config: SDPAProgramConfig | None = None,
    compute_kernel_config: object = None,
    paged_cache_geometry: PagedCacheGeometryOverride | None = None,
) -> Tensor:
    """Causal attention of a part of a sequence, from a position on, over caches in pages."""

    def compute(q: Any, k: Any, v: Any, table: Any, start: Any) -> Any:
        first = int(start.flatten()[0]) if start is not None else int(chunk_start_idx or 0)
        keys, values = (from_pages(one, table, paged_cache_geometry) for one in (k, v))
        return attend(q, keys, values, allowed(q.shape[-2], keys.shape[-2], first, True, None), scale)

    inputs = [input_tensor_q, input_tensor_k, input_tensor_v, page_table_tensor, chunk_start_idx_tensor]
    name = "ttnn.transformer.chunked_scaled_dot_product_attention"
    return on_host(name, compute, inputs, memory_config=memory_config or DRAM_MEMORY_CONFIG)[0]


@registered("ttnn.transformer.joint_scaled_dot_product_attention")
def joint_scaled_dot_product_attention(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor,
    joint_tensor_q: Tensor,
    joint_tensor_k: Tensor,
    joint_tensor_v: Tensor,
    *,
    joint_strategy: str,
    program_config: SDPAProgramConfig,
    scale: float | None = None,
    compute_kernel_config: object = None,
) -> tuple[Tensor, Tensor]:
    """Attention of two sequences over both; each gets its part."""
    import torch

    fatal(joint_strategy == "rear", f"Joint strategy must be 'rear'. Got: {joint_strategy}")
    own = input_tensor_q.spec.shape[-2]

    def compute(*six: Any) -> Any:
        q, k, v = (torch.cat(pair, -2) for pair in zip(six[:3], six[3:], strict=True))
        found = attend(q, k, v, None, scale)
        return found[..., :own, :], found[..., own:, :]

    inputs = [input_tensor_q, input_tensor_k, input_tensor_v, joint_tensor_q, joint_tensor_k, joint_tensor_v]
    first, second = on_host(
        "ttnn.transformer.joint_scaled_dot_product_attention",
        compute,
        inputs,
        memory_config=DRAM_MEMORY_CONFIG,
    )
    return first, second


@registered("ttnn.transformer.flash_mla_prefill")
def flash_mla_prefill(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    head_dim_v: int | Tensor,
    *,
    attn_mask: Tensor | None = None,
    is_causal: bool = True,
    scale: float | None = None,
    memory_config: MemoryConfig | None = None,
    program_config: SDPAProgramConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """Latent attention: values are the first `head_dim_v` elements of the keys, or a tensor of their own."""
    values = head_dim_v if isinstance(head_dim_v, Tensor) else None

    def compute(q: Any, k: Any, given: Any, mask: Any) -> Any:
        v = k[..., :head_dim_v] if given is None else given
        own = allowed(q.shape[-2], k.shape[-2], 0, True, None) if is_causal else mask
        return attend(q, k, v, own, scale)

    inputs = [input_tensor_q, input_tensor_k, values, attn_mask]
    name = "ttnn.transformer.flash_mla_prefill"
    return on_host(name, compute, inputs, memory_config=memory_config or DRAM_MEMORY_CONFIG)[0]


@registered("ttnn.transformer.chunked_flash_mla_prefill")
def chunked_flash_mla_prefill(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    head_dim_v: int,
    page_table_tensor: Tensor,
    chunk_start_idx: int,
    *,
    scale: float | None = None,
    memory_config: MemoryConfig | None = None,
    program_config: SDPAProgramConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """Latent attention of a part of a sequence, over a cache in pages."""

    def compute(q: Any, k: Any, table: Any) -> Any:
        keys = from_pages(k, table)
        mask = allowed(q.shape[-2], keys.shape[-2], chunk_start_idx, True, None)
        return attend(q, keys, keys[..., :head_dim_v], mask, scale)

    inputs = [input_tensor_q, input_tensor_k, page_table_tensor]
    name = "ttnn.transformer.chunked_flash_mla_prefill"
    return on_host(name, compute, inputs, memory_config=memory_config or DRAM_MEMORY_CONFIG)[0]


# ---- decode ----


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
        keys = k if table is None else from_pages(k, table, geometry)
        values = (
            keys[..., :head_dim_v] if v is None else (v if table is None else from_pages(v, table, geometry))
        )
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
        found = attend(heads, keys[:batch], values[:batch], own, scale, _sink(sink))
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


# ---- softmax of scores ----


def _attention_softmax(
    tensor: Tensor,
    *,
    head_size: int | None = None,
    attention_mask: Tensor | None = None,
    program_config: object = None,
    causal_mask: bool = False,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """softmax of scores divided by the root of the head size, plus a mask; on the device."""
    from tilesmith.ops.normalization.masked import scale_mask_softmax

    scale = None if head_size is None else head_size**-0.5
    return scale_mask_softmax(tensor, scale, attention_mask, memory_config=memory_config)


def _attention_softmax_(tensor: Tensor, **options: Any) -> Tensor:
    """The same, written to its input."""
    from tilesmith.ops.rearrange.memory import copy

    return copy(_attention_softmax(tensor, **options), tensor)


def _softmax_golden(
    tensor: Any, *, head_size: int | None = None, attention_mask: Any = None, **_: Any
) -> Any:
    scaled = tensor if head_size is None else tensor * head_size**-0.5
    return (scaled if attention_mask is None else scaled + attention_mask).softmax(-1)


register("ttnn.transformer.attention_softmax", _attention_softmax, _softmax_golden)
register("ttnn.transformer.attention_softmax_", _attention_softmax_, _softmax_golden)
