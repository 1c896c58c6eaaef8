"""The next token chosen where the logits are, so that a step brings back token ids and no logits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tilesmith.models.generation.chosen_logits import ChosenLogits
from tilesmith.models.generation.rows import chunked, place_of_largest
from tilesmith.models.generation.sampling import draw

_TOKENS = ("input_ids", "decoder_input_ids")
_IDS, _BEST = "chosen_ids", "chosen_logits"
_WARPERS = {
    "TemperatureLogitsWarper": "temperature",
    "TopKLogitsWarper": "top_k",
    "TopPLogitsWarper": "top_p",
}
"""What changes logits before one is drawn, in the order that transformers does it."""


@dataclass(frozen=True)
class Choice:
    """The largest logit, or one drawn by its probability; of top-k and top-p those that are given."""

    draws: bool = False
    temperature: float = 1.0
    top_k: float | None = None
    top_p: float | None = None

    @property
    def steps(self) -> tuple[bool, bool, bool]:
        """Which steps a graph has: the numbers themselves are inputs of one."""
        return self.draws, self.top_k is not None, self.top_p is not None

    def tensors(self, batch: int) -> list[torch.Tensor]:
        """The inputs of a graph of these steps: a new random number for each text, and the settings."""
        if not self.draws:
            return []
        given = (one for one in (self.temperature, self.top_k, self.top_p) if one is not None)
        return [torch.rand(batch), *(torch.tensor([float(one)]) for one in given)]


def choice_of(config: Any, processors: Any, kwargs: Mapping[str, Any], draws: bool) -> Choice | None:
    """How a call of `generate` chooses, if it looks at the logits in no other way."""
    plain = all(kwargs.get(name) is None for name in ("custom_generate", "assistant_model"))
    if not plain or config.output_scores or config.output_logits:
        return None
    mode = config.get_generation_mode()
    if mode == "greedy_search":
        return None if len(processors) else Choice()
    names = [_WARPERS.get(type(one).__name__, "") for one in processors]
    known = [name for name in _WARPERS.values() if name in names]
    if mode != "sample" or not draws or names != known or not all(map(_hides_the_rest, processors)):
        return None
    settings = {name: getattr(one, name) for name, one in zip(names, processors, strict=True)}
    return Choice(True, **settings)


def _hides_the_rest(processor: Any) -> bool:
    """Whether what is not kept gets no probability, and one token may be all that is kept."""
    hidden = getattr(processor, "filter_value", -float("inf")) == -float("inf")
    return hidden and getattr(processor, "min_tokens_to_keep", 1) == 1


class ForLogits:
    """Processors of logits, which leave alone what is chosen already."""

    def __init__(self, processors: Any) -> None:
        self._processors = processors

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> Any:
        return scores if isinstance(scores, ChosenLogits) else self._processors(input_ids, scores)


def texts_of_one_token(kwargs: Mapping[str, Any]) -> int:
    """How many texts a forward call has one token of each for; 0 for several: the loop may look at any."""
    given = [kwargs[name] for name in _TOKENS if kwargs.get(name) is not None]
    return given[0].shape[0] if len(given) == 1 and given[0].shape[1] == 1 else 0


def choose(results: dict[str, Any], steps: Sequence[bool], given: Iterator[torch.Tensor]) -> int:
    """Put the token chosen for each text in the place of its logits; how many there were to choose from.

    With each comes the best logit: one that is no number shows that the call must be computed on the host.
    """
    logits = results.pop("logits")[:, -1]
    rows = chunked(logits)
    draws, has_k, has_p = steps
    if draws:
        uniform, temperature = next(given), next(given)
        top_k, top_p = (next(given) if has else None for has in (has_k, has_p))
        results[_IDS], results[_BEST] = draw(rows, uniform, temperature, top_k, top_p)
    else:
        results[_IDS], results[_BEST] = place_of_largest(rows)
    return int(logits.shape[-1])


def as_logits(results: dict[str, Any], width: int) -> None:
    """What the loop of transformers takes for logits, and finds the tokens in that were chosen."""
    ids = results.pop(_IDS).to(torch.int64)
    results.pop(_BEST)
    results["logits"] = ChosenLogits.of(ids, width)
