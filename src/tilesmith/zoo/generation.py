"""Text from a Llama, a token at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from tilesmith.graph.views import padded
from tilesmith.model import compile_model
from tilesmith.zoo.llama import WithCache, full_model, tokenizer

Step = Callable[..., Any]


def continuation(step: Step, cached: WithCache, prompt: list[int], count: int) -> list[int]:
    """The `count` tokens a model finds likeliest after a prompt; `step` runs `cached`, compiled or not.

    The prompt goes in at once, then one token at a time; keys and values of earlier tokens are kept.
    """
    made: list[int] = []
    cache = cached.empty()
    ids, start = torch.tensor([prompt]), 0
    for _ in range(count):
        logits, cache = step(*cached.arguments(ids, start), cache)
        start += ids.shape[1]
        made.append(int(logits[0].argmax()))
        ids = torch.tensor([made[-1:]])
    return made


def continue_text(prompt: str, count: int, backend: str = "tenstorrent", path: Path | None = None) -> str:
    """The text of `continuation` by SmolLM2, or by a Llama in a folder."""
    model, _ = full_model(path)
    words = tokenizer(path)
    ids = words(prompt)["input_ids"]
    cached = WithCache(model, length=padded(len(ids) + count))
    options = {"checks": "off", "numbers": "fast"} if backend == "tenstorrent" else {}
    step = compile_model(cached, backend, **options)
    text: str = words.decode(continuation(step, cached, list(ids), count))
    return text
