"""Rotary embeddings."""

from __future__ import annotations

from typing import Any

from tilesmith.ops.framework import registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor


def _halves(x: Any, cos: Any, sin: Any) -> Any:
    import torch

    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


def _golden(x: Any, cos: Any, sin: Any, token_idx: int | None = None, **_: Any) -> Any:
    if token_idx is not None:
        cos, sin = (one[:, :, token_idx : token_idx + 1] for one in (cos, sin))
    return _halves(x, cos[..., : x.shape[-2], :], sin[..., : x.shape[-2], :])


@registered("ttnn.experimental.rotary_embedding", golden=_golden)
def rotary_embedding(
    input_tensor: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    token_index: int | None = None,
    *,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """The halves of each row turned by the angle of its position, or of one position for all."""
    return on_host(
        "ttnn.experimental.rotary_embedding",
        lambda x, cos, sin: _golden(x, cos, sin, token_index),
        [input_tensor, cos_cache, sin_cache],
        memory_config=memory_config,
    )[0]


@registered("ttnn.experimental.rotary_embedding_hf")
def rotary_embedding_hf(
    input_tensor: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    *,
    is_decode_mode: bool = False,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """The same; to decode, the angles are (1, batch, 1, size)."""

    def compute(x: Any, cos: Any, sin: Any) -> Any:
        if is_decode_mode:
            return _halves(x, cos, sin)
        return _golden(x, cos, sin)

    inputs = [input_tensor, cos_cache, sin_cache]
    return on_host("ttnn.experimental.rotary_embedding_hf", compute, inputs, memory_config=memory_config)[0]


def _turned(x: Any, cos: Any, sin: Any, turn: Any, decode: bool) -> Any:
    """Pairs of neighbours turned: `turn` is the matrix, 32 x 32, that swaps them."""
    rows = x.shape[-1] // turn.shape[-1]
    swapped = (x.unflatten(-1, (rows, turn.shape[-1])) @ turn[0, 0]).flatten(-2)
    if not decode:
        cos, sin = (one[..., : x.shape[-2], :] for one in (cos, sin))
    else:
        cos, sin = (one[..., :1, :] for one in (cos, sin))
    return x * cos + swapped * sin


@registered("ttnn.experimental.rotary_embedding_llama")
def rotary_embedding_llama(
    input_tensor: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    trans_mat: Tensor,
    *,
    is_decode_mode: bool = False,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """Pairs of neighbours turned by the angle of their position."""
    return on_host(
        "ttnn.experimental.rotary_embedding_llama",
        lambda x, cos, sin, turn: _turned(x, cos, sin, turn, is_decode_mode),
        [input_tensor, cos_cache, sin_cache, trans_mat],
        memory_config=memory_config,
    )[0]


@registered("ttnn.experimental.rotary_embedding_llama_fused_qk")
def rotary_embedding_llama_fused_qk(
    q_input_tensor: Tensor,
    k_input_tensor: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    trans_mat: Tensor,
    *,
    compute_kernel_config: object = None,
) -> tuple[Tensor, Tensor]:
    """Queries and keys of one position: the angles of the keys come after those of the queries."""
    batch = q_input_tensor.spec.shape[1]

    def half(x: Any, cos: Any, sin: Any, turn: Any, first: int) -> Any:
        if cos.shape[1] > batch:
            cos, sin = (one[:, first : first + batch] for one in (cos, sin))
        return _turned(x, cos, sin, turn[:, :1], True)

    found = []
    for first, tensor in ((0, q_input_tensor), (batch, k_input_tensor)):
        found += on_host(
            "ttnn.experimental.rotary_embedding_llama_fused_qk",
            lambda x, cos, sin, turn, at=first: half(x, cos, sin, turn, at),
            [tensor, cos_cache, sin_cache, trans_mat],
        )
    return found[0], found[1]
