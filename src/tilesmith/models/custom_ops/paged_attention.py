"""tilesmith::paged_attention: attention over a cache in blocks, which a table gives to texts."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from tilesmith.models.custom_ops.eager import launched


@torch.library.custom_op("tilesmith::paged_attention", mutates_args=())
def paged_attention(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_table: Tensor,
    lengths: Tensor,
    scale: float | None = None,
) -> Tensor:
    """Attention of (batch, head, row, column) to the first `lengths` keys of each text.

    Caches are (block, head, row of a block, column). Row b of `block_table` has the numbers of the blocks of
    text b, in order; those behind its length may be any block. Heads of queries may share one of keys.

    >>> keys = torch.zeros(2, 1, 2, 4).double()
    >>> values = torch.arange(4.0).double().reshape(2, 1, 2, 1)
    >>> table, lengths = torch.tensor([[1, 0]]), torch.tensor([3])
    >>> paged_attention(keys[:1, :, :1], keys, values, table, lengths).flatten().tolist()
    [1.6666666666666665]
    """
    args = (query, key_cache, value_cache, block_table, lengths, scale)
    result: Tensor = launched("paged_attention", paged_formula, *args)
    return result


@paged_attention.register_fake
def _(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_table: Tensor,
    lengths: Tensor,
    scale: float | None = None,
) -> Tensor:
    torch._check(
        query.dim() == key_cache.dim() == value_cache.dim() == 4,
        lambda: "tilesmith::paged_attention takes queries (batch, head, row, column) and caches (block, ...)",
    )
    torch._check(
        block_table.dim() == 2 and block_table.shape[0] == query.shape[0] == lengths.shape[0],
        lambda: "the table of blocks has a row, and lengths a number, for each text",
    )
    heads, shared = query.shape[1], key_cache.shape[1]
    torch._check(heads % shared == 0, lambda: f"{heads} heads cannot share {shared} of keys evenly")
    return query.new_empty((*query.shape[:-1], value_cache.shape[-1]))


def paged_formula(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_table: Tensor,
    lengths: Tensor,
    scale: float | None,
) -> Tensor:
    """The blocks of every text brought together by their numbers, then attention with a mask."""
    keys, values = _of_texts(key_cache, block_table), _of_texts(value_cache, block_table)
    seen = torch.arange(keys.shape[-2]) < lengths[:, None]
    result: Tensor = torch.ops.tilesmith.attention(query, keys, values, seen[:, None, None], False, scale)
    return result


def _of_texts(cache: Tensor, block_table: Tensor) -> Tensor:
    count, heads, rows, width = cache.shape
    batch, blocks = block_table.shape
    found = functional.embedding(block_table, cache.reshape(count, heads * rows * width))
    ordered = found.reshape(batch, blocks, heads, rows, width).permute(0, 2, 1, 3, 4)
    return ordered.reshape(batch, heads, blocks * rows, width)
