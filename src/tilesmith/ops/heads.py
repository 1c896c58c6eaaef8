"""Heads of attention split and joined: slices, reshapes and permutations on the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.framework import registered
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.rearrange.joins import concat
from tilesmith.ops.rearrange.memory import copy, to_memory_config
from tilesmith.ops.rearrange.permutation import permute
from tilesmith.ops.rearrange.shapes import reshape
from tilesmith.ops.rearrange.slicing import slice_
from tilesmith.ops.tensor import Tensor

Three = tuple[Tensor, Tensor, Tensor]


def _columns(tensor: Tensor, first: int, last: int) -> Tensor:
    shape = tensor.spec.shape
    return slice_(tensor, [0] * (len(shape) - 1) + [first], [*shape[:-1], last])


def _plain(tensor: Tensor) -> Tensor:
    """Interleaved: shards of the whole fit no part."""
    from tilesmith.ops.memory import DRAM_MEMORY_CONFIG

    return to_memory_config(tensor, DRAM_MEMORY_CONFIG) if tensor.is_sharded() else tensor


def _split(tensor: Tensor, heads: int) -> Tensor:
    """(batch, length, heads x size) as (batch, heads, length, size)."""
    batch, length = tensor.spec.shape[0], tensor.spec.shape[-2]
    size = tensor.spec.shape[-1] // heads
    return permute(reshape(tensor, (batch, length, heads, size)), (0, 2, 1, 3))


def _given(
    tensors: Sequence[Tensor], memory_config: MemoryConfig | None, outputs: Sequence[Tensor] | None
) -> tuple[Tensor, ...]:
    if outputs is not None:
        return tuple(copy(one, room) for one, room in zip(tensors, outputs, strict=False))
    if memory_config is None or memory_config.lacks_shards:
        return tuple(tensors)
    return tuple(to_memory_config(one, memory_config) for one in tensors)


def _three(
    tensor: Tensor,
    kv: Tensor | None,
    heads: int,
    kv_heads: int | None,
    transpose_key: bool,
    memory_config: MemoryConfig | None,
    outputs: Sequence[Tensor] | None = None,
) -> Three:
    count = heads if kv_heads is None else kv_heads
    tensor, kv = _plain(tensor), kv and _plain(kv)
    width = tensor.spec.shape[-1]
    if kv is None:
        size = width // (heads + 2 * count)
        fatal(size * (heads + 2 * count) == width, f"{width} columns cannot be {heads} + 2 x {count} heads")
        kv = _columns(tensor, heads * size, width)
        tensor = _columns(tensor, 0, heads * size)
    half = kv.spec.shape[-1] // 2
    query, key, value = (
        _split(tensor, heads),
        _split(_columns(kv, 0, half), count),
        _split(_columns(kv, half, 2 * half), count),
    )
    if transpose_key:
        key = permute(key, (0, 1, 3, 2))
    q, k, v = _given((query, key, value), memory_config, outputs)
    return q, k, v


def _three_golden(
    x: Any,
    kv: Any = None,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    transpose_key: bool = True,
    **_: Any,
) -> Any:
    import torch

    count = num_heads if num_kv_heads is None else num_kv_heads
    whole = x if kv is None else torch.cat([x, kv], -1)
    size = whole.shape[-1] // (num_heads + 2 * count)
    parts = whole.reshape(*whole.shape[:-1], -1, size).split([num_heads, count, count], -2)
    q, k, v = (one.movedim(-2, -3) for one in parts)
    return q, k.transpose(-1, -2) if transpose_key else k, v


@registered("ttnn.transformer.split_query_key_value_and_split_heads", golden=_three_golden)
def split_query_key_value_and_split_heads(
    input_tensor: Tensor,
    kv_input_tensor: Tensor | None = None,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    transpose_key: bool = True,
    memory_config: MemoryConfig | None = None,
    use_falcon7b_backend: bool = False,
) -> Three:
    """(batch, length, all heads) as queries, keys (transposed) and values."""
    return _three(input_tensor, kv_input_tensor, num_heads, num_kv_heads, transpose_key, memory_config)


@registered("ttnn.experimental.nlp_create_qkv_heads", golden=_three_golden)
def nlp_create_qkv_heads(
    input: Tensor,
    input_kv: Tensor | None = None,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    transpose_k_heads: bool = True,
    kv_tied: bool = False,
    memory_config: MemoryConfig | None = None,
    output_tensors: Sequence[Tensor] | None = None,
) -> Three:
    """(batch, 1, length, all heads) as queries, keys and values."""
    fatal(not kv_tied, "tilesmith: nlp_create_qkv_heads(kv_tied=True) is not there; pass keys and values")
    return _three(input, input_kv, num_heads, num_kv_heads, transpose_k_heads, memory_config, output_tensors)


@registered("ttnn.experimental.nlp_create_qkv_heads_vit")
def nlp_create_qkv_heads_vit(
    input: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensors: Sequence[Tensor] | None = None,
) -> Three:
    """12 heads of 64."""
    return _three(input, None, 12, 12, False, memory_config, output_tensors)


@registered("ttnn.experimental.nlp_create_qkv_heads_segformer")
def nlp_create_qkv_heads_segformer(
    input: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensors: Sequence[Tensor] | None = None,
) -> Tensor:
    """Heads of 32."""
    (tensor,) = _given([_split(_plain(input), input.spec.shape[-1] // 32)], memory_config, output_tensors)
    return tensor


@registered("ttnn.experimental.nlp_create_qkv_heads_falcon7b")
def nlp_create_qkv_heads_falcon7b(input: Tensor, *, memory_config: MemoryConfig | None = None) -> Three:
    """71 heads of queries, one of keys and one of values."""
    return _three(input, None, 71, 1, True, memory_config)


@registered("ttnn.experimental.create_qkv_heads")
def create_qkv_heads(
    input: Tensor,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    transpose_k_heads: bool = True,
    memory_config: MemoryConfig | None = None,
    output_tensors: Sequence[Tensor] | None = None,
) -> Three:
    """As above, but the heads of keys and values stand beside their queries: q q k v, q q k v ..."""
    count = num_heads if num_kv_heads is None else num_kv_heads
    each = num_heads // count
    tensor = _plain(input)
    batch, length, width = tensor.spec.shape[0], tensor.spec.shape[-2], tensor.spec.shape[-1]
    size = width // (num_heads + 2 * count)
    groups = reshape(tensor, (batch * length, count, (each + 2) * size))
    parts = [(0, each, num_heads), (each, each + 1, count), (each + 1, each + 2, count)]
    found = []
    for first, last, heads in parts:
        rows = _columns(groups, first * size, last * size)
        found.append(permute(reshape(rows, (batch, length, heads, size)), (0, 2, 1, 3)))
    if transpose_k_heads:
        found[1] = permute(found[1], (0, 1, 3, 2))
    q, k, v = _given(found, memory_config, output_tensors)
    return q, k, v


@registered("ttnn.experimental.create_qkv_heads_from_separate_tensors")
def create_qkv_heads_from_separate_tensors(
    input: Tensor,
    input_kv: Tensor,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    transpose_k_heads: bool = True,
    memory_config: MemoryConfig | None = None,
    output_tensors: Sequence[Tensor] | None = None,
) -> Three:
    """Queries from one tensor; keys and values, side by side, from another: k v, k v ..."""
    count = num_heads if num_kv_heads is None else num_kv_heads
    kv = _plain(input_kv)
    batch, length, width = kv.spec.shape[0], kv.spec.shape[-2], kv.spec.shape[-1]
    size = width // (2 * count)
    pairs = reshape(kv, (batch * length, count, 2 * size))
    key, value = (
        permute(
            reshape(_columns(pairs, at * size, (at + 1) * size), (batch, length, count, size)), (0, 2, 1, 3)
        )
        for at in (0, 1)
    )
    if transpose_k_heads:
        key = permute(key, (0, 1, 3, 2))
    q, k, v = _given((_split(_plain(input), num_heads), key, value), memory_config, output_tensors)
    return q, k, v


@registered("ttnn.experimental.nlp_create_qkv_heads_decode")
def nlp_create_qkv_heads_decode(
    input_tensor: Tensor,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    output_tensors: Sequence[Tensor] | None = None,
    overlap_qk_coregrid: bool = True,
    batch_offset: Tensor | None = None,
    slice_size: int | None = None,
    memory_config: MemoryConfig | None = None,
) -> Three:
    """(1, 1, batch, all heads) as (1, batch, heads, size) each."""
    count = num_heads if num_kv_heads is None else num_kv_heads
    tensor = _plain(input_tensor)
    if batch_offset is not None:
        fatal(slice_size is not None, "slice_size is required if batch_offset is given")
        assert slice_size is not None
        first = int(batch_offset.to_torch().flatten()[0])
        shape = tensor.spec.shape
        tensor = slice_(tensor, [0, 0, first, 0], [*shape[:2], first + slice_size, shape[-1]])
    batch, width = tensor.spec.shape[-2], tensor.spec.shape[-1]
    size = width // (num_heads + 2 * count)
    found, at = [], 0
    for heads in (num_heads, count, count):
        part = _columns(tensor, at * size, (at + heads) * size)
        found.append(reshape(part, (1, batch, heads, size)))
        at += heads
    q, k, v = _given(found, memory_config, output_tensors)
    return q, k, v


# ---- together again ----


def _joined(x: Any, **_: Any) -> Any:
    return x.transpose(-2, -3).flatten(-2)


@registered("ttnn.transformer.concatenate_heads", golden=_joined)
def concatenate_heads(input_tensor: Tensor, *, memory_config: MemoryConfig | None = None) -> Tensor:
    """(batch, heads, length, size) as (batch, length, heads x size)."""
    batch, heads, length, size = input_tensor.spec.shape
    whole = reshape(permute(_plain(input_tensor), (0, 2, 1, 3)), (batch, length, heads * size))
    return _given([whole], memory_config, None)[0]


@registered("ttnn.experimental.nlp_concat_heads")
def nlp_concat_heads(input_tensor: Tensor, *, memory_config: MemoryConfig | None = None) -> Tensor:
    """(batch, heads, length, size) as (batch, 1, length, heads x size)."""
    batch, heads, length, size = input_tensor.spec.shape
    whole = reshape(permute(_plain(input_tensor), (0, 2, 1, 3)), (batch, 1, length, heads * size))
    return _given([whole], memory_config, None)[0]


@registered("ttnn.experimental.concatenate_heads")
def experimental_concatenate_heads(
    input_tensor: Tensor,
    compute_with_storage_grid_size: object = None,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """The same."""
    whole = nlp_concat_heads(input_tensor, memory_config=memory_config)
    return whole if output_tensor is None else copy(whole, output_tensor)


@registered("ttnn.experimental.nlp_concat_heads_decode")
def nlp_concat_heads_decode(
    input_tensor: Tensor,
    *,
    num_heads: int,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
    sub_core_grids: object = None,
) -> Tensor:
    """(1, batch, heads, size) as (1, 1, batch, heads x size); heads beyond `num_heads` are padding."""
    _, batch, _, size = input_tensor.spec.shape
    kept = slice_(_plain(input_tensor), [0, 0, 0, 0], [1, batch, num_heads, size])
    (whole,) = _given([reshape(kept, (1, 1, batch, num_heads * size))], memory_config, None)
    return whole if output_tensor is None else copy(whole, output_tensor)


@registered("ttnn.experimental.rotate_half", golden=lambda x, **_: _rotated(x))
def rotate_half(input: Tensor, *, memory_config: MemoryConfig | None = None) -> Tensor:
    """The second half of each row, negative, before the first."""
    from tilesmith.ops.elementwise.api import elementwise

    half = input.spec.shape[-1] // 2
    second = elementwise("", [_columns(input, half, 2 * half)], after=["neg"])
    return concat([second, _columns(input, 0, half)], -1, memory_config=memory_config)


def _rotated(x: Any) -> Any:
    import torch

    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)
