"""Made-up inputs for a model of `transformers`, by the names that its forward takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

_WORDS, _TOKENS = 128, 16


def candidates(model: nn.Module) -> Iterator[dict[str, Any]]:
    """Inputs worth trying, the likeliest first; what a model requires besides is added to each."""
    taken = inspect.signature(model.forward).parameters
    required = [
        name for name, one in taken.items() if one.default is one.empty and one.kind.name != "VAR_KEYWORD"
    ]
    config: Any = model.config
    seen = []
    for base in _bases(set(taken), config):
        more = {name: _USUAL[name](config) for name in required if name in _USUAL and name not in base}
        seen.append({**base, **more})
        yield seen[-1]
    if required and all(name in _USUAL for name in required):
        yield {name: _USUAL[name](config) for name in required}
    for base in seen:
        extra = {name: make(config) for name, make in _USUAL.items() if name in taken and name not in base}
        if "input_ids" in base:
            extra = {name: value for name, value in extra.items() if name not in _INSTEAD_OF_IDS}
        if extra:
            yield {**base, **extra}


def described(inputs: Mapping[str, str], model: nn.Module) -> dict[str, Any]:
    """Inputs from what a file says of them: how they are made, and their shape or values.

    >>> described({"x": "zeros 1 2"}, nn.Linear(1, 1))["x"].tolist()
    [[0, 0]]
    """
    config: Any = getattr(model, "config", nn.Module())
    made = {}
    for name, text in inputs.items():
        how, *rest = text.split()
        sizes = [int(one) for one in rest]
        made[name] = _WAYS[how](config, sizes)
    return made


def masks(model: nn.Module, inputs: Mapping[str, Any]) -> dict[str, Tensor]:
    """Masks that hide nothing, for the inputs of a model that takes masks for them."""
    taken = inspect.signature(model.forward).parameters
    found = {}
    for name, mask in (
        ("input_ids", "attention_mask"),
        ("inputs_embeds", "attention_mask"),
        ("decoder_input_ids", "decoder_attention_mask"),
    ):
        if mask in taken and name in inputs and mask not in inputs:
            found[mask] = torch.ones(inputs[name].shape[:2], dtype=torch.int64)
    return found


def _bases(taken: set[str], config: Any) -> Iterator[dict[str, Any]]:
    ids = _ids(config)
    if "input_ids" in taken:
        if "decoder_input_ids" in taken:
            yield {"input_ids": ids, "decoder_input_ids": ids[:, :8]}
        yield {"input_ids": ids}
    if "pixel_values" in taken:
        for size in dict.fromkeys((_side(config), 64, 224)):
            image = {"pixel_values": _noise(1, _find(config, "num_channels", 3), size, size)}
            yield image
            if "input_ids" in taken:
                yield {**image, "input_ids": ids}
            if "decoder_input_ids" in taken:
                yield {**image, "decoder_input_ids": ids[:, :8]}
    for name in ("pixel_values_videos", "pixel_values"):
        if name in taken:
            frames, side = _find(config, "num_frames", 4), _side(config)
            yield {name: _noise(1, frames, 3, side, side)}
            if "input_ids" in taken:
                yield {name: _noise(1, frames, 3, side, side), "input_ids": ids}
    yield from _sounds(taken, config)
    if "past_values" in taken:
        yield from _series(taken, config)
    if "inputs" in taken:
        yield {"inputs": ids}


def _sounds(taken: set[str], config: Any) -> Iterator[dict[str, Any]]:
    if "input_values" in taken:
        for shape in _waves(config):
            yield {"input_values": _noise(*shape)}
            yield {"input_values": _noise(*shape), "decoder_input_values": _noise(1, 8, 80)}
    if "input_features" in taken:
        bins = _find(config, "num_mel_bins", _find(config, "feature_projection_input_dim", 80))
        long = 2 * _find(config, "max_source_positions", 64)
        shapes: tuple[tuple[int, ...], ...] = (
            (1, bins, long),
            (1, bins, 128),
            (1, 64, bins),
            (1, 64, 160),
            (1, 1, 64, bins),
        )
        for shape in shapes:
            features = {"input_features": _noise(*shape)}
            yield features
            yield {**features, "decoder_input_ids": _ids(config)[:, :8]}


def _waves(config: Any) -> tuple[tuple[int, ...], ...]:
    return (1, 4000), (1, 1, 4000), (1, 64, _find(config, "num_mel_bins", 32))


def _series(taken: set[str], config: Any) -> Iterator[dict[str, Any]]:
    channels = _find(config, "num_input_channels", 1)
    long = _find(config, "context_length", 32)
    yield {"past_values": _noise(1, long, channels)}
    lags = max(getattr(config, "lags_sequence", [0]) or [0])
    past, future = long + lags, _find(config, "prediction_length", 8)
    static = {"static_categorical_features": torch.zeros(1, 1, dtype=torch.int64)}
    for width in (0, 1, 2):
        made = {
            "past_values": _noise(1, past),
            "past_time_features": _noise(1, past, width),
            "past_observed_mask": torch.ones(1, past),
            "future_values": _noise(1, future),
            "future_time_features": _noise(1, future, width),
            **static,
        }
        yield {name: value for name, value in made.items() if name in taken}


def _find(config: Any, name: str, usual: int) -> int:
    """A size of a configuration, or of one of its parts."""
    parts = [config, *(part for part in vars(config).values() if hasattr(part, "to_dict"))]
    sizes = [getattr(part, name) for part in parts if isinstance(getattr(part, name, None), int)]
    return sizes[0] if sizes else usual


def _side(config: Any) -> int:
    return _find(config, "image_size", 32)


def _noise(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


def _ids(config: Any, shape: Sequence[int] = (1, _TOKENS)) -> Tensor:
    words = max(5, min(_WORDS, _find(config, "vocab_size", _WORDS)))
    return torch.randint(3, words, tuple(shape), generator=torch.Generator().manual_seed(1))


def _wide(config: Any) -> int:
    return _find(config, "hidden_size", _find(config, "d_model", 64))


_WAYS: dict[str, Callable[[Any, list[int]], Tensor]] = {
    "noise": lambda _, shape: _noise(*shape),
    "ids": _ids,
    "zeros": lambda _, shape: torch.zeros(shape, dtype=torch.int64),
    "ones": lambda _, shape: torch.ones(shape, dtype=torch.int64),
    "numbers": lambda _, values: torch.tensor(values),
    "row": lambda _, values: torch.tensor([values]),
    "true": lambda _, shape: torch.ones(shape, dtype=torch.bool),
}
_INSTEAD_OF_IDS: tuple[str, ...] = ("inputs_embeds", "query_embeds", "hidden_states")
_USUAL: dict[str, Callable[[Any], Tensor]] = {
    "bbox": lambda _: torch.tensor([1, 2, 3, 4]).expand(1, _TOKENS, 4).contiguous(),
    "attention_mask": lambda _: torch.ones(1, _TOKENS, dtype=torch.int64),
    "token_type_ids": lambda _: torch.zeros(1, _TOKENS, dtype=torch.int64),
    "query_embeds": lambda config: _noise(1, 8, _wide(config)),
    "inputs_embeds": lambda config: _noise(1, _TOKENS, _wide(config)),
    "hidden_states": lambda config: _noise(1, _TOKENS, _wide(config)),
    "visual_feats": lambda config: _noise(1, 4, _find(config, "visual_feat_dim", 2048)),
    "visual_pos": lambda config: _noise(1, 4, _find(config, "visual_pos_dim", 4)),
    "pixel_mask": lambda config: torch.ones(1, _side(config), _side(config), dtype=torch.int64),
    "image_grid_thw": lambda _: torch.tensor([[1, 4, 4]]),
    "grid_thw": lambda _: torch.tensor([[1, 4, 4]]),
}
"""What some models want besides, by name."""
