"""tilesmith::cache_update: rows written into a cache of keys or values, from a position on."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import torch
from torch import Tensor


@torch.library.custom_op("tilesmith::cache_update", mutates_args=())
def cache_update(cache: Tensor, positions: Tensor, rows: Tensor) -> Tensor:
    """The cache with `rows` at `positions` of its second last dimension. The positions follow each other.

    >>> cache_update(torch.zeros(1, 3, 2), torch.tensor([1]), torch.ones(1, 1, 2)).tolist()
    [[[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]]
    """
    return cache.index_copy(cache.dim() - 2, positions, rows)


@cache_update.register_fake
def _(cache: Tensor, positions: Tensor, rows: Tensor) -> Tensor:
    return torch.empty_like(cache)
