"""Prompts padded to whole tiles, so that one graph serves all lengths of a tile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from tilesmith.models.generation.static_cache import layers_of
from tilesmith.models.planning.views import padded

_PADDED = {"input_ids", "position_ids", "attention_mask", "past_key_values", "logits_to_keep"}
_PLAIN = (bool, int, float, str, type(None))


@dataclass(frozen=True)
class PaddedPrompt:
    """A call with tokens behind its own. No token sees one behind it, and later tokens take their places."""

    kwargs: dict[str, Any]
    count: int

    def finish(self, output: Any) -> Any:
        """The output of the call without them, and the cache as if they had not been."""
        cache = self.kwargs["past_key_values"]
        length = layers_of(cache)[0].cumulative_length
        length.sub_(self.kwargs["input_ids"].shape[1] - self.count)
        if not isinstance(self.kwargs.get("logits_to_keep"), torch.Tensor):
            output.logits = output.logits[:, : self.count]
        return output


def padded_prompt(kwargs: Mapping[str, Any]) -> PaddedPrompt | None:
    """A call for several tokens with more behind them; None where that would change what it gives."""
    ids, keep = kwargs.get("input_ids"), kwargs.get("logits_to_keep")
    count = ids.shape[1] if isinstance(ids, torch.Tensor) else 1
    size = padded(count)
    if count == 1 or not _is_plain(kwargs) or keep not in (None, 1):
        return None
    chosen: dict[str, Any] = {**kwargs, "input_ids": _behind(kwargs["input_ids"], 1, size)}
    if kwargs.get("position_ids") is not None:
        chosen["position_ids"] = _behind(kwargs["position_ids"], -1, size)
    masks = chosen.get("attention_mask")
    if isinstance(masks, dict):
        chosen["attention_mask"] = {name: _behind(mask, -2, size) for name, mask in masks.items()}
    elif masks is not None:
        chosen["attention_mask"] = _behind(masks, -2, size)
    if keep == 1:  # the last token is no longer the last
        chosen["logits_to_keep"] = torch.tensor([count - 1])
    return PaddedPrompt(chosen, count)


def _is_plain(kwargs: Mapping[str, Any]) -> bool:
    """Whether all that goes by tokens is known here, and the cache is one that hides what lies behind."""
    given = kwargs.get("attention_mask")
    masks = given.values() if isinstance(given, dict) else [given]
    hidden = all(mask is None or (isinstance(mask, torch.Tensor) and mask.dim() == 4) for mask in masks)
    known = all(name in _PADDED or isinstance(value, _PLAIN) for name, value in kwargs.items())
    asks_more = any(kwargs.get(name) for name in ("output_hidden_states", "output_attentions"))
    cache: Any = kwargs.get("past_key_values")
    layers = layers_of(cache) if hasattr(cache, "layers") else []
    static = bool(layers) and all(hasattr(layer, "counts") for layer in layers)
    return hidden and known and static and not asks_more and int(cache.get_seq_length()) == 0


def _behind(value: torch.Tensor | None, dim: int, size: int) -> torch.Tensor | None:
    """A tensor whose last entry of a dimension is repeated up to a size."""
    if value is None:  # a mask: without one every token sees those before it
        return None
    count = value.shape[dim]
    return value.index_select(dim, torch.arange(size).clamp(max=count - 1))
