"""Caches whose tensors keep their shapes from the first token to the last."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map_only

from tilesmith.models.generation.cache_tree import flatten, restore
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

    from tilesmith.models.generation.cache_layers import SharedLengthLayer

    cache = StaticCache(config=config, max_cache_len=length)
    plain = (StaticLayer, StaticSlidingWindowLayer)
    places = [place for place, layer in enumerate(cache.layers) if type(layer) in plain]
    count = torch.tensor(0)
    for place in places:
        cache.layers[place] = SharedLengthLayer(length, count, place == places[-1])
    return cache


def initialise(model: Any, cache: Any, name: str, kwargs: Mapping[str, Any]) -> None:
    """Give the layers of a new cache their tensors: of the shapes that a call without values comes to.

    A model that does not run so gets them in its first graph, which hands them out.
    """
    if all(getattr(layer, "is_initialized", True) for layer in layers_of(cache)):
        return
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    tensors, structure = flatten(cache)
    try:
        with torch.no_grad(), mode, _without_log("torch._subclasses.fake_tensor"):
            fake = tree_map_only(torch.Tensor, mode.from_tensor, dict(kwargs))
            tried = restore(structure, [mode.from_tensor(tensor) for tensor in tensors])
            model(**fake, **{name: tried})
    except RuntimeError:  # as products of experts, which without values ask for another dtype than with them
        return
    for layer, known in zip(layers_of(cache), layers_of(tried), strict=True):
        if not getattr(layer, "is_initialized", True):
            layer.lazy_initialization(_empty(known.keys), _empty(known.values))


@contextmanager
def _without_log(name: str) -> Iterator[None]:
    logger = logging.getLogger(name)
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def layers_of(cache: Any) -> list[Any]:
    """The layers of a cache, of a decoder's those of both attentions."""
    whole = hasattr(cache, "self_attention_cache")
    caches = (cache.self_attention_cache, cache.cross_attention_cache) if whole else (cache,)
    return [layer for part in caches for layer in part.layers]


def _empty(like: torch.Tensor) -> torch.Tensor:
    """A tensor of the same heads and width, without a row."""
    return torch.zeros((*like.shape[:-2], 0, like.shape[-1]), dtype=like.dtype)
