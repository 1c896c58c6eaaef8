"""Layers of a cache that share the count of tokens, so that a graph has it once. Needs transformers."""

from __future__ import annotations

from typing import Any

import torch
from transformers.cache_utils import StaticLayer


class SharedLengthLayer(StaticLayer):  # type: ignore[misc]
    """Keys and values of one layer, for a fixed number of tokens. The last layer counts them for all."""

    def __init__(self, max_cache_len: int, length: torch.Tensor, counts: bool) -> None:
        super().__init__(max_cache_len)
        self.cumulative_length = length
        self.counts = counts

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        added = key_states.shape[-2]
        positions = torch.arange(added) + self.cumulative_length
        self.keys.index_copy_(2, positions, key_states)
        self.values.index_copy_(2, positions, value_states)
        if self.counts:
            self.cumulative_length.add_(added)
        return self.keys, self.values
