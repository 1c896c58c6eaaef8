"""Text from a Llama, a token at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tilesmith.models.compiled_model import CompiledModel, compile_model
from tilesmith.models.planning.views import padded
from tilesmith.zoo.llama import WithCache, full_model, tokenizer

Step = Callable[..., Any]


@dataclass(frozen=True)
class Continued:
    """The tokens of two steps after the same prompt, the text of ours, and how many graphs ours compiled."""

    ours: list[int]
    theirs: list[int]
    text: str
    graphs: int


def continuation(step: Step, cached: WithCache, prompt: list[int], count: int) -> list[int]:
    """The `count` tokens a model finds likeliest after a prompt; `step` runs `cached`, compiled or not.

    The prompt goes in at once, then one token at a time; keys and values of earlier tokens are kept.
    """
    result: list[int] = []
    cache = cached.empty()
    ids, start = torch.tensor([prompt]), 0
    for _ in range(count):
        logits, cache = step(*cached.arguments(ids, start), cache)
        start += ids.shape[1]
        result.append(int(logits[0].argmax()))
        ids = torch.tensor([result[-1:]])
    return result


def continue_text(prompt: str, count: int, backend: str = "tenstorrent", path: Path | None = None) -> str:
    """The text of `continuation` by SmolLM2, or by a Llama in a folder."""
    cached, words, ids = _ready(prompt, count, path)
    text: str = words.decode(continuation(_compiled(cached, backend), cached, ids, count))
    return text


def compare_continuations(
    prompt: str, count: int, backend: str = "tenstorrent", path: Path | None = None
) -> Continued:
    """The same, and what torch in float32 adds."""
    cached, words, ids = _ready(prompt, count, path)
    step = _compiled(cached, backend)
    ours = continuation(step, cached, ids, count)
    with torch.no_grad():
        theirs = continuation(cached, cached, ids, count)
    return Continued(ours, theirs, words.decode(ours), step.graphs)


def _ready(prompt: str, count: int, path: Path | None) -> tuple[WithCache, Any, list[int]]:
    model, _ = full_model(path)
    words = tokenizer(path)
    ids = list(words(prompt)["input_ids"])
    return WithCache(model, length=padded(len(ids) + count)), words, ids


def _compiled(cached: WithCache, backend: str) -> CompiledModel:
    options = {"checks": "off", "numbers": "fast"} if backend == "tenstorrent" else {}
    return compile_model(cached, backend, **options)
