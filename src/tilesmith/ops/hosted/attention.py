"""Attention over whole sequences and parts of them, also over caches in pages, and latent attention."""

from __future__ import annotations

from typing import Any

from tilesmith.ops.checks import fatal
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
from tilesmith.ops.program_configs import SDPAProgramConfig, check_config
from tilesmith.ops.tensor import Tensor


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
        return attend(q, k, v, both, scale, sink_column(sink))

    inputs = [input_tensor_q, input_tensor_k, input_tensor_v, attn_mask, attention_sink, cu_window_seqlens]
    name = "ttnn.transformer.scaled_dot_product_attention"
    return on_host(name, compute, inputs, memory_config=memory_config or DRAM_MEMORY_CONFIG)[0]


def _check_heads(q: Tensor, k: Tensor, v: Tensor) -> None:
    for tensor in (q, k, v):
        fatal(len(tensor.spec.shape) == 4, f"Attention takes tensors of four axes, got {tensor.shape}")
    heads, kv = q.spec.shape[1], k.spec.shape[1]
    fatal(heads % kv == 0, f"Q num_heads must be divisible by K num_heads. Got Q: {heads}, K: {kv}")


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
        keys, values = (from_pages(one, table, paged_cache_geometry, q.shape[-1]) for one in (k, v))
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
