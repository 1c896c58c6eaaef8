"""Caches of keys and values: filling, updating, with and without pages. They are written in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import register, registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.hosted.paged_view import check_geometry, seen_as, whole_tiles
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout


@registered("ttnn.fill_cache")
def fill_cache(cache_tensor: Tensor, input_tensor: Tensor, batch_idx: int, *, update_idx: int = 0) -> Tensor:
    """A sequence (1, heads, length, size) into one of a batch of caches."""

    def compute(cache: Any, values: Any) -> Any:
        cache[batch_idx, :, update_idx : update_idx + values.shape[-2]] = values[0]
        return cache

    return on_host("ttnn.fill_cache", compute, [cache_tensor, input_tensor], output=cache_tensor)[0]


@registered("ttnn.update_cache")
def update_cache(
    cache: Tensor,
    input: Tensor,
    update_idx: int,
    *,
    batch_offset: int = 0,
    compute_kernel_config: object = None,
) -> Tensor:
    """One position (1, heads, batch, size) into the caches of a batch."""

    def compute(kept: Any, values: Any) -> Any:
        batch = kept.shape[0]
        rows = values[0, :, batch_offset : batch_offset + batch]  # (heads, batch, size)
        kept[:, :, update_idx] = rows.transpose(0, 1)
        return kept

    return on_host("ttnn.update_cache", compute, [cache, input], output=cache)[0]


register("ttnn.kv_cache.update_cache_for_token_", update_cache)
register("ttnn.kv_cache.fill_cache_for_user_", fill_cache)


def _check_modulo(modulo: int | None, rows: int) -> None:
    fatal(
        modulo is None or (modulo > 0 and modulo % rows == 0),
        f"cache_position_modulo ({modulo}) must be a positive multiple of effective block_size ({rows});"
        " otherwise a wrapped position would split across blocks and the kernel can't address it.",
    )


def _check_length(valid: Tensor | None, modulo: int | None) -> None:
    """Of a fill: one whole number, for caches that go round."""
    if valid is None:
        return
    fatal(valid.dtype in (DataType.UINT32, DataType.INT32), "valid_seq_len tensor must be an integer type")
    fatal(
        valid.volume() == 1,
        f"valid_seq_len tensor must contain exactly 1 element, got logical_volume={valid.volume()}",
    )
    fatal(valid.layout is Layout.ROW_MAJOR, "valid_seq_len tensor must be in ROW_MAJOR layout")
    fatal(
        modulo is not None,
        "valid_seq_len tensor is only supported when cache_position_modulo is set (bounded fill)",
    )


def _write(cache: Any, row: Any, user: int, position: int, table: Any) -> None:
    """(heads, size) at a position of a user's cache."""
    if table is None:
        cache[user, :, position] = row
        return
    rows = cache.shape[2]
    block = int(table[user, position // rows])
    if block >= 0:
        cache[block, :, position % rows, : row.shape[-1]] = row


@registered("ttnn.experimental.paged_update_cache")
def paged_update_cache(
    cache_tensor: Tensor,
    input_tensor: Tensor,
    *,
    update_idxs: Sequence[int] = (),
    update_idxs_tensor: Tensor | None = None,
    share_cache: bool | None = None,
    page_table: Tensor | None = None,
    batch_offset: int = 0,
    compute_kernel_config: object = None,
    mesh_coords: object = None,
    block_size: int | None = None,
    num_kv_heads: int | None = None,
    cache_position_modulo: int | None = None,
) -> Tensor:
    """One position for each of a batch, (1, batch, heads, size), at its own index; -1 writes nothing."""
    fatal(
        page_table is not None or cache_position_modulo is None,
        "cache_position_modulo is only supported in paged mode (when page_table is provided)",
    )
    for name, given in (("block_size_override", block_size), ("num_kv_heads_override", num_kv_heads)):
        fatal(given is None or page_table is not None, f"{name} is only supported in paged mode")
    _check_modulo(cache_position_modulo, block_size or cache_tensor.shape[2])

    def compute(cache: Any, values: Any, indices: Any, table: Any) -> Any:
        at = indices.flatten().tolist() if indices is not None else list(update_idxs)
        own = tuple(cache.shape[1:])
        heads = num_kv_heads or own[0]
        view = own
        if table is not None and (block_size or num_kv_heads):
            view = (heads, block_size or own[1], whole_tiles(values.shape[-1]))
            check_geometry("paged_update_cache", cache, view)
        seen = seen_as(cache, view)
        for user, index in enumerate(at):
            position = _signed(int(index))
            if position < 0:
                continue
            if cache_position_modulo:
                position %= cache_position_modulo
            owner = 0 if share_cache else user
            row = values[0, user + batch_offset, :heads]
            _write(seen, row, owner, position, table)
        return seen_as(seen, own)

    inputs = [cache_tensor, input_tensor, update_idxs_tensor, page_table]
    return on_host("ttnn.experimental.paged_update_cache", compute, inputs, output=cache_tensor)[0]


def _signed(index: int) -> int:
    """Indices may come in unsigned types, where -1 is the largest number."""
    return -1 if index == 2**32 - 1 else index


@registered("ttnn.experimental.paged_fused_update_cache")
def paged_fused_update_cache(
    cache_tensor1: Tensor,
    input_tensor1: Tensor,
    cache_tensor2: Tensor,
    input_tensor2: Tensor,
    *,
    update_idxs: Sequence[int] = (),
    update_idxs_tensor: Tensor | None = None,
    share_cache: bool | None = None,
    page_table: Tensor | None = None,
    batch_offset: int = 0,
    compute_kernel_config: object = None,
    mesh_coords: object = None,
) -> tuple[Tensor, Tensor]:
    """Two caches at once."""
    first, second = (
        paged_update_cache(
            cache,
            values,
            update_idxs=update_idxs,
            update_idxs_tensor=update_idxs_tensor,
            share_cache=share_cache,
            page_table=page_table,
            batch_offset=batch_offset,
        )
        for cache, values in ((cache_tensor1, input_tensor1), (cache_tensor2, input_tensor2))
    )
    return first, second


@registered("ttnn.experimental.paged_fill_cache")
def paged_fill_cache(
    cache_tensor: Tensor,
    input_tensor: Tensor,
    page_table: Tensor,
    *,
    batch_idx_tensor: Tensor | None = None,
    batch_idx: int = 0,
    compute_kernel_config: object = None,
    mesh_coords: object = None,
    block_size: int | None = None,
    cache_position_modulo: int | None = None,
    valid_seq_len_tensor: Tensor | None = None,
) -> Tensor:
    """A sequence (1, heads, length, size) into the pages of one user."""
    _check_modulo(cache_position_modulo, block_size or cache_tensor.shape[2])
    _check_length(valid_seq_len_tensor, cache_position_modulo)

    def compute(cache: Any, values: Any, table: Any, user: Any, valid: Any) -> Any:
        who = int(user.flatten()[0]) if user is not None else batch_idx
        length = values.shape[-2] if valid is None else min(int(valid.flatten()[0]), values.shape[-2])
        fatal(who < table.shape[0], f"batch_idx {who} is outside a page table of {table.shape[0]} users")
        own = tuple(cache.shape[1:])
        view = own
        if block_size or values.shape[1] != own[0]:
            view = (values.shape[1], block_size or own[1], whole_tiles(values.shape[-1]))
            check_geometry("paged_fill_cache", cache, view)
        seen = seen_as(cache, view)
        first = max(0, length - cache_position_modulo) if cache_position_modulo else 0
        for position in range(first, length):
            target = position % cache_position_modulo if cache_position_modulo else position
            _write(seen, values[0, :, position], who, target, table)
        return seen_as(seen, own)

    inputs = [cache_tensor, input_tensor, page_table, batch_idx_tensor, valid_seq_len_tensor]
    return on_host("ttnn.experimental.paged_fill_cache", compute, inputs, output=cache_tensor)[0]


@registered("ttnn.plus_one")
def plus_one(
    input_tensor: Tensor, sub_core_grids: object = None, skip_negative_entries: bool = False
) -> Tensor:
    """One more in every element, in place."""

    def compute(x: Any) -> Any:
        return x + (x >= 0) if skip_negative_entries else x + 1

    return on_host("ttnn.plus_one", compute, [input_tensor], output=input_tensor)[0]
