"""Caches whose tensors keep their shapes from the first token to the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilesmith.models.planning.views import padded


def static_cache(config: Any, length: int, model_kwargs: Mapping[str, Any]) -> Any:
    """A cache of transformers for `length` tokens, in whole tiles.

    Layers with a sliding window keep all tokens: what lies outside their window is hidden by the mask, so
    that a token is written to its place and nothing else moves.
    """
    from transformers.cache_utils import EncoderDecoderCache

    text = config.get_text_config(decoder=True)
    cache = _cache(text, padded(length))
    if not config.is_encoder_decoder:
        return cache
    return EncoderDecoderCache(cache, _cache(text, model_kwargs["encoder_outputs"][0].shape[1]))


def _cache(config: Any, length: int) -> Any:
    from transformers.cache_utils import StaticCache, StaticLayer, StaticSlidingWindowLayer

    cache = StaticCache(config=config, max_cache_len=length)
    cache.layers = [
        StaticLayer(length) if type(layer) is StaticSlidingWindowLayer else layer for layer in cache.layers
    ]
    return cache
